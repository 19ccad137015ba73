package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Parameters of a task, read as the sidecar reads them: only when the task runs, unknown ones
 * ignored, and a wrong type fails the task (seen on seictl 0.0.50 to 0.0.70).
 */
record TaskParams(JsonNode json, String struct) {

  private static final Map<String, String> STRUCTS =
      Map.of(
          "config-apply", "ConfigIntent",
          "config-patch", "ConfigPatchRequest",
          "configure-state-sync", "StateSyncRequest",
          "snapshot-restore", "SnapshotRestoreRequest",
          "generate-identity", "GenerateIdentityRequest");

  static TaskParams of(String type, JsonNode params) {
    JsonNode json = params == null ? JsonNodeFactory.instance.objectNode() : params;
    return new TaskParams(json, STRUCTS.getOrDefault(type, ""));
  }

  boolean has(String name) {
    return json.hasNonNull(name);
  }

  JsonNode raw(String name) {
    return json.path(name);
  }

  String text(String name, String goType) {
    return value(name)
        .filter(v -> is(v.isTextual(), v, name, goType))
        .map(JsonNode::asText)
        .orElse("");
  }

  boolean flag(String name) {
    return value(name)
        .filter(v -> is(v.isBoolean(), v, name, "bool"))
        .map(JsonNode::asBoolean)
        .orElse(false);
  }

  long number(String name) {
    return value(name)
        .filter(v -> is(v.isIntegralNumber(), v, name, "int64"))
        .map(JsonNode::asLong)
        .orElse(0L);
  }

  List<String> texts(String name) {
    var texts = new ArrayList<String>();
    value(name)
        .filter(v -> is(v.isArray(), v, name, "[]string"))
        .ifPresent(
            list ->
                list.forEach(
                    v -> {
                      is(v.isTextual(), v, name, "string");
                      texts.add(v.asText());
                    }));
    return texts;
  }

  Map<String, String> textsByKey(String name) {
    var texts = new LinkedHashMap<String, String>();
    value(name)
        .filter(v -> is(v.isObject(), v, name, "map[string]string"))
        .ifPresent(
            map ->
                map.properties()
                    .forEach(
                        e -> {
                          is(e.getValue().isTextual(), e.getValue(), name, "string");
                          texts.put(e.getKey(), e.getValue().asText());
                        }));
    return texts;
  }

  /** Objects by key, as {@code map[string]map[string]any} takes them. */
  Map<String, JsonNode> objectsByKey(String name) {
    var objects = new LinkedHashMap<String, JsonNode>();
    value(name)
        .filter(v -> is(v.isObject(), v, name, "map[string]map[string]interface {}"))
        .ifPresent(
            map ->
                map.properties()
                    .forEach(
                        e -> {
                          is(
                              e.getValue().isObject(),
                              e.getValue(),
                              name,
                              "map[string]interface {}");
                          objects.put(e.getKey(), e.getValue());
                        }));
    return objects;
  }

  private Optional<JsonNode> value(String name) {
    return has(name) ? Optional.of(json.get(name)) : Optional.empty();
  }

  private boolean is(boolean right, JsonNode value, String name, String goType) {
    if (!right) {
      throw new TaskFailure(
          "parsing params: json: cannot unmarshal %s into Go struct field %s.%s of type %s"
              .formatted(word(value), struct, name, goType));
    }
    return true;
  }

  private static String word(JsonNode value) {
    return value.isBoolean() ? "bool" : value.getNodeType().name().toLowerCase(Locale.ROOT);
  }
}
