package io.sei.operator.render;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.generator.annotation.Required;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Path from a spec to a field that has no fields of its own, through records of the API. */
record SpecPath(List<RecordComponent> steps) {

  /** Returns every path there is. */
  static List<SpecPath> all() {
    return below(List.of(), SeiNodeSpec.class).toList();
  }

  private static Stream<SpecPath> below(List<RecordComponent> steps, Class<?> type) {
    return Stream.of(type.getRecordComponents())
        .flatMap(
            field -> {
              List<RecordComponent> path = Stream.concat(steps.stream(), Stream.of(field)).toList();
              return field.getType().isRecord() && field.getType().getRecordComponents().length > 0
                  ? below(path, field.getType())
                  : Stream.of(new SpecPath(path));
            });
  }

  /** Returns whether a spec has the field. */
  boolean isSet(SeiNodeSpec spec) {
    Object value = spec;
    for (RecordComponent step : steps) {
      value = value == null ? null : read(step, value);
    }
    return value != null;
  }

  /** Returns the spec without the field or, where it is required, with another value of it. */
  SeiNodeSpec unset(SeiNodeSpec spec) {
    return (SeiNodeSpec) unset(spec, 0);
  }

  private Object unset(Object owner, int depth) {
    RecordComponent[] fields = owner.getClass().getRecordComponents();
    Class<?>[] types = Stream.of(fields).map(RecordComponent::getType).toArray(Class<?>[]::new);
    Object[] values = Stream.of(fields).map(field -> valueOf(field, owner, depth)).toArray();
    try {
      return owner.getClass().getDeclaredConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private Object valueOf(RecordComponent field, Object owner, int depth) {
    Object value = read(field, owner);
    if (!field.getName().equals(steps.get(depth).getName())) {
      return value;
    }
    return depth + 1 < steps.size() ? unset(value, depth + 1) : another(field, value);
  }

  private static Object another(RecordComponent field, Object value) {
    try {
      var declared = field.getDeclaringRecord().getDeclaredField(field.getName());
      if (!declared.isAnnotationPresent(Required.class)) {
        return null;
      }
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException(e);
    }
    return switch (value) {
      case String text -> text + "-2";
      case Integer number -> number + 1;
      case Long number -> number + 1;
      default -> null;
    };
  }

  private static Object read(RecordComponent field, Object owner) {
    try {
      return field.getAccessor().invoke(owner);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The path in the names of the API. */
  @Override
  public String toString() {
    return steps.stream().map(SpecPath::name).collect(Collectors.joining("."));
  }

  private static String name(RecordComponent field) {
    return Optional.ofNullable(field.getAccessor().getAnnotation(JsonProperty.class))
        .map(JsonProperty::value)
        .orElse(field.getName());
  }
}
