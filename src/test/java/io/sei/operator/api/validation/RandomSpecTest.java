package io.sei.operator.api.validation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Specs full of holes, made from the model itself so that new fields are covered as well. */
class RandomSpecTest {

  private static final int SPECS = 20_000;

  private final Random random = new Random(20260101);
  private final Set<Class<?>> made = new HashSet<>();

  @Test
  void neverThrowsAndKnowsEveryCelRule() throws ReflectiveOperationException {
    var messages = new HashSet<String>();
    for (int i = 0; i < SPECS; i++) {
      var spec = (SeiNodeSpec) record(SeiNodeSpec.class);
      assertThat(SpecValidation.validate(random.nextBoolean() ? text() : null, spec))
          .as("%s", spec)
          .allSatisfy(
              error -> {
                assertThat(error.path()).matches("(?s)(metadata\\.name|spec)([.\\[].*)?");
                assertThat(error.message()).isNotBlank();
                messages.add(error.message());
              });
    }
    assertThat(messages).containsAll(messagesOfCelRules());
  }

  /** Rules about a change aside: one spec alone cannot break them. */
  private List<String> messagesOfCelRules() {
    List<String> messages =
        made.stream()
            .flatMap(type -> Arrays.stream(type.getAnnotationsByType(ValidationRule.class)))
            .filter(rule -> !rule.value().contains("oldSelf"))
            .map(ValidationRule::message)
            .toList();
    assertThat(messages).hasSizeGreaterThan(10);
    return messages;
  }

  private Object value(Type type) throws ReflectiveOperationException {
    if (random.nextInt(3) == 0) {
      return null;
    }
    if (type instanceof ParameterizedType parameterized) {
      return container(parameterized);
    }
    Class<?> kind = (Class<?>) type;
    if (kind.isRecord()) {
      return record(kind);
    }
    if (kind.isEnum()) {
      return kind.getEnumConstants()[0];
    }
    if (kind == String.class) {
      return text();
    }
    if (kind == Integer.class) {
      return random.nextInt(4) - 1;
    }
    if (kind == Long.class) {
      return (long) random.nextInt(4) - 1;
    }
    if (kind == Boolean.class) {
      return random.nextBoolean();
    }
    assertThat(kind).isEqualTo(ResourceRequirements.class);
    return new ResourceRequirements();
  }

  private Object container(ParameterizedType type) throws ReflectiveOperationException {
    Type[] arguments = type.getActualTypeArguments();
    int size = random.nextInt(3);
    if (type.getRawType() == List.class) {
      var list = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        list.add(value(arguments[0]));
      }
      return list;
    }
    assertThat(type.getRawType()).isEqualTo(Map.class);
    var map = new HashMap<>();
    for (int i = 0; i < size; i++) {
      map.put(value(arguments[0]), value(arguments[1]));
    }
    return map;
  }

  private Object record(Class<?> type) throws ReflectiveOperationException {
    made.add(type);
    RecordComponent[] components = type.getRecordComponents();
    var values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      values[i] = value(components[i].getGenericType());
    }
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    return type.getDeclaredConstructor(types).newInstance(values);
  }

  private String text() {
    return List.of("", "a", "a-b", "-", "\n", "A.B", "\ud83d", "x".repeat(600))
        .get(random.nextInt(8));
  }
}
