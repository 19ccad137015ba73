package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ContainerNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The generator of hostile input: values, records of any type and JSON with a wrong value in it.
 * Records are made from their types, so that new fields are covered as well. The same random
 * numbers make the same input.
 */
public final class HostileInput {

  /** Longer than what a message of a condition may have is left in. */
  private static final String GIANT = "x".repeat(30_000);

  /** Texts that an API server stores. */
  public static final List<String> ODD_TEXTS = List.of("", "\n", "a\nb", "-", "../..", GIANT);

  /** Half of a character: no API server stores it, a log or an answer may have it. */
  public static final String HALF_A_CHARACTER = "\ud83d";

  /** Moments that no clock shows, among others. */
  public static final List<Instant> MOMENTS =
      List.of(
          Instant.EPOCH,
          Instant.parse("0001-01-01T00:00:00Z"),
          Instant.parse("2026-06-01T10:00:00Z"),
          Instant.parse("9999-12-31T23:59:59Z"));

  /** Values of JSON, as text: of every type, and too deep, too long or too large. */
  public static final List<String> JSON_VALUES =
      List.of(
          "null",
          "7",
          "-1",
          "99999999999999999999",
          "1.5",
          "true",
          "\"\"",
          "\"x\"",
          "\"9999-99-99T99:99:99Z\"",
          "[]",
          "{}",
          "[null]",
          "{\"a\":null}",
          "[[{}]]",
          "[".repeat(1_100) + "]".repeat(1_100),
          "[".repeat(9_900) + "]".repeat(9_900),
          "{\"a\":".repeat(1_100) + "1" + "}".repeat(1_100),
          "[" + "[],".repeat(100_000) + "1]",
          "{" + "\"" + "k".repeat(60_000) + "\":\"v\"}",
          "\"" + "x".repeat(300_000) + "\"",
          "9".repeat(2_000));

  private static final List<Integer> NUMBERS =
      List.of(-1, 0, 1, 2, Integer.MIN_VALUE, Integer.MAX_VALUE);

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final Random random;
  private final List<String> texts;
  private final boolean obeysSchema;

  /**
   * @param texts what a text of a record may be
   * @param obeysSchema whether what is required is there, as in what an API server accepted
   */
  public HostileInput(Random random, List<String> texts, boolean obeysSchema) {
    this.random = random;
    this.texts = List.copyOf(texts);
    this.obeysSchema = obeysSchema;
  }

  /** Returns texts that get far, and those that should not. */
  public static List<String> withOddTexts(List<String> known, String... more) {
    return Stream.of(known, List.of(more), ODD_TEXTS).flatMap(List::stream).toList();
  }

  /** One of the texts. */
  public String text() {
    return any(texts);
  }

  /** One of these. */
  public <T> T any(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  /** True once in so many times. */
  public boolean oneIn(int times) {
    return random.nextInt(times) == 0;
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
      return any(MOMENTS);
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
    throw new IllegalArgumentException("HostileInput cannot make a " + kind);
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
      throw new IllegalArgumentException("HostileInput cannot make a " + type);
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
    return any(NUMBERS);
  }

  /**
   * Puts a wrong value in one place somewhere below, or one under a name that nothing reads.
   *
   * @param kept names whose values stay
   * @param wrong makes the value from the one that was there, which is null where there was none
   */
  public void spoil(ContainerNode<?> below, Set<String> kept, UnaryOperator<JsonNode> wrong) {
    if (below instanceof ArrayNode array) {
      int index = array.isEmpty() ? 0 : random.nextInt(array.size());
      JsonNode inner = array.get(index);
      if (inner instanceof ContainerNode<?> container && !oneIn(5)) {
        spoil(container, kept, wrong);
      } else if (inner == null) {
        array.add(wrong.apply(null));
      } else {
        array.set(index, wrong.apply(inner));
      }
      return;
    }
    var object = (ObjectNode) below;
    List<String> names = new ArrayList<>(List.of("unknown"));
    object.fieldNames().forEachRemaining(names::add);
    names.removeAll(kept);
    String name = any(names);
    if (object.get(name) instanceof ContainerNode<?> container && !oneIn(5)) {
      spoil(container, kept, wrong);
    } else {
      object.set(name, wrong.apply(object.get(name)));
    }
  }

  /** A wrong value of the same type, which the schema may let through, or none. */
  public JsonNode wrong(JsonNode right) {
    if (right == null || oneIn(3)) {
      return JSON.nullNode();
    }
    if (right.isTextual()) {
      return JSON.textNode(oneIn(2) ? "wrong" : any(ODD_TEXTS));
    }
    if (right.isNumber()) {
      return JSON.numberNode(any(NUMBERS));
    }
    if (right.isBoolean()) {
      return JSON.booleanNode(!right.asBoolean());
    }
    return right.isArray() ? JSON.arrayNode() : JSON.nullNode();
  }
}
