package io.sei.operator.node.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.Step;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * PURE: keys that are set in TOML files as they are spelt there. {@code config-apply} takes out
 * what sei-config does not know, whatever its parameters, so this comes after everything else that
 * is written. Where a key is, is its file and its name, as in {@code app.toml:a.b}; sei-config's
 * own keys have no colon.
 */
final class ConfigPatch {

  /** Files that {@code config-apply} can write again. */
  private static final Set<String> OF_SEI_CONFIG = Set.of("config.toml", "app.toml");

  private static final String COLON = ":";
  private static final String VALUES = "values";
  private static final String REMOVED = "removed";

  private ConfigPatch() {}

  /**
   * Sets what is asked for and, in files that are never written again, takes out what no longer is.
   */
  static Optional<Step> step(ConfigParts parts, AppliedConfig applied) {
    List<String> removed =
        applied == null
            ? List.of()
            : left(parts, applied).filter(ConfigPatch::isNeverWrittenAgain).toList();
    if (parts.values().isEmpty() && removed.isEmpty()) {
      return Optional.empty();
    }
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    ArrayNode values = params.putArray(VALUES);
    for (ConfigValue it : parts.values()) {
      ObjectNode value = values.addObject();
      value.put("fileName", it.fileName()).put("key", it.key()).set("value", it.value());
    }
    removed.forEach(params.putArray(REMOVED)::add);
    return Optional.of(new Step(SidecarTaskTypes.CONFIG_PATCH, params));
  }

  /** Returns the request in the form of the sidecar's API, in which null removes a key. */
  static Step request(JsonNode params) {
    ObjectNode files = JsonNodeFactory.instance.objectNode();
    removed(params).forEach(place -> put(files, place, NullNode.getInstance()));
    for (JsonNode it : params.path(VALUES)) {
      put(files, place(it), it.path("value"));
    }
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    request.set("files", files);
    return new Step(SidecarTaskTypes.CONFIG_PATCH, request);
  }

  /** Returns the keys that the parameters of {@link #step} set. */
  static Stream<String> set(JsonNode params) {
    return elements(params, VALUES).flatMap(json -> places(place(json), json.path("value")));
  }

  /** Returns the keys that the parameters of {@link #step} remove. */
  static Stream<String> removed(JsonNode params) {
    return elements(params, REMOVED).map(JsonNode::asText).filter(text -> text.contains(COLON));
  }

  /** Returns the keys that are set. */
  static Stream<String> places(ConfigParts parts) {
    return parts.values().stream().flatMap(value -> places(place(value), value.value()));
  }

  /** Returns the keys in the files that are no longer desired, sorted. */
  static Stream<String> left(ConfigParts parts, AppliedConfig applied) {
    var left = new TreeSet<String>();
    Optional.ofNullable(applied.keys()).ifPresent(left::addAll);
    Optional.ofNullable(applied.keysLeft()).ifPresent(left::addAll);
    parts.keys().forEach(left::remove);
    places(parts).forEach(left::remove);
    return left.stream();
  }

  /** Returns whether a key stays in its file until it is taken out. */
  static boolean isNeverWrittenAgain(String place) {
    return place.contains(COLON) && !OF_SEI_CONFIG.contains(place.split(COLON, 2)[0]);
  }

  /** An object is merged with what is there, so each of its keys may be left by itself. */
  private static Stream<String> places(String place, JsonNode value) {
    boolean isTable =
        value.isObject()
            && !value.isEmpty()
            && value.properties().stream().noneMatch(entry -> entry.getKey().contains("."));
    return isTable
        ? value.properties().stream()
            .flatMap(entry -> places(place + "." + entry.getKey(), entry.getValue()))
        : Stream.of(place);
  }

  private static String place(ConfigValue value) {
    return value.fileName() + COLON + value.key();
  }

  private static String place(JsonNode value) {
    return value.path("fileName").asText() + COLON + value.path("key").asText();
  }

  private static void put(ObjectNode files, String place, JsonNode value) {
    String[] fileAndKey = place.split(COLON, 2);
    String[] names = fileAndKey[1].split("\\.", -1);
    ObjectNode table = table(files, fileAndKey[0]);
    for (int i = 0; i < names.length - 1; i++) {
      table = table(table, names[i]);
    }
    String name = names[names.length - 1];
    // What is taken out of a table stays so if the table itself is set now.
    if (table.get(name) instanceof ObjectNode there && value instanceof ObjectNode more) {
      there.setAll(more);
    } else {
      table.set(name, value.deepCopy());
    }
  }

  private static ObjectNode table(ObjectNode parent, String name) {
    return parent.get(name) instanceof ObjectNode there ? there : parent.putObject(name);
  }

  private static Stream<JsonNode> elements(JsonNode params, String name) {
    return params == null ? Stream.empty() : params.path(name).valueStream();
  }
}
