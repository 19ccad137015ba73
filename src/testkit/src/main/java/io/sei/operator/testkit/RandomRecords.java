package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.Quantity;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Records full of holes, made from their types, so that new fields are covered as well. */
public final class RandomRecords {

  private static final List<Integer> NUMBERS =
      List.of(-1, 0, 1, 2, Integer.MIN_VALUE, Integer.MAX_VALUE);
  private static final List<Instant> TIMES =
      List.of(
          Instant.EPOCH,
          Instant.parse("0001-01-01T00:00:00Z"),
          Instant.parse("2026-06-01T10:00:00Z"),
          Instant.parse("9999-12-31T23:59:59Z"));

  private final Random random;
  private final List<String> texts;
  private final boolean obeysSchema;
  private final Set<Class<?>> made = new HashSet<>();

  /**
   * @param texts what a text may be
   * @param obeysSchema whether what is required is there, as in what an API server accepted
   */
  public RandomRecords(Random random, List<String> texts, boolean obeysSchema) {
    this.random = random;
    this.texts = texts;
    this.obeysSchema = obeysSchema;
  }

  /** The types that were made so far. */
  public Set<Class<?>> made() {
    return made;
  }

  /** One of the texts. */
  public String text() {
    return texts.get(random.nextInt(texts.size()));
  }

  /** A record with anything in it. */
  public <T extends Record> T make(Class<T> type) {
    try {
      return type.cast(record(type));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private Object record(Class<?> type) throws ReflectiveOperationException {
    made.add(type);
    RecordComponent[] components = type.getRecordComponents();
    var values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      boolean needed =
          obeysSchema && components[i].getAccessor().isAnnotationPresent(Required.class);
      values[i] = needed || random.nextInt(3) != 0 ? value(components[i].getGenericType()) : null;
    }
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    return type.getDeclaredConstructor(types).newInstance(values);
  }

  private Object value(Type type) throws ReflectiveOperationException {
    if (type instanceof ParameterizedType parameterized) {
      return container(parameterized);
    }
    Class<?> kind = (Class<?>) type;
    if (kind.isRecord()) {
      return record(kind);
    }
    if (kind.isEnum()) {
      return kind.getEnumConstants()[random.nextInt(kind.getEnumConstants().length)];
    }
    if (kind == String.class) {
      return text();
    }
    if (kind == Boolean.class) {
      return random.nextBoolean();
    }
    if (kind == Integer.class) {
      return number();
    }
    if (kind == Long.class) {
      return (long) number();
    }
    if (kind == Instant.class) {
      return TIMES.get(random.nextInt(TIMES.size()));
    }
    if (kind == JsonNode.class) {
      return JsonNodeFactory.instance.objectNode().put("specHash", text());
    }
    if (kind == IntOrString.class) {
      return new IntOrString(text());
    }
    if (kind == Quantity.class) {
      return new Quantity("1");
    }
    if (KubernetesResource.class.isAssignableFrom(kind)) {
      return kind.getDeclaredConstructor().newInstance();
    }
    throw new IllegalArgumentException("RandomRecords cannot make a " + kind);
  }

  private Object container(ParameterizedType type) throws ReflectiveOperationException {
    Type[] arguments = type.getActualTypeArguments();
    int size = random.nextInt(3);
    if (type.getRawType() == List.class) {
      var list = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        list.add(element(arguments[0]));
      }
      return list;
    }
    if (type.getRawType() != Map.class) {
      throw new IllegalArgumentException("nobody knows how to make a " + type);
    }
    var map = new HashMap<>();
    for (int i = 0; i < size; i++) {
      map.put(element(arguments[0]), element(arguments[1]));
    }
    return map;
  }

  private Object element(Type type) throws ReflectiveOperationException {
    return obeysSchema || random.nextInt(3) != 0 ? value(type) : null;
  }

  private int number() {
    return NUMBERS.get(random.nextInt(NUMBERS.size()));
  }
}
