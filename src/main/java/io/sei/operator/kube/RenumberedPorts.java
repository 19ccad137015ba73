package io.sei.operator.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;

/**
 * Gives ports of ours their number back that a foreign edit has changed. To server-side apply the
 * number is the key, so ours would be added beside the edited one, which keeps its name. A Service
 * with such a pair is refused by the API server; a pod template is not, but no pod can be made from
 * it.
 */
final class RenumberedPorts {

  private static final List<String> KEYS = List.of("port", "containerPort");

  private RenumberedPorts() {}

  /** The merge patch that does so in {@code live}; empty if there is nothing to do. */
  static ObjectNode patch(JsonNode wanted, JsonNode live) {
    return StatusPatch.diff(live, restored(wanted, live));
  }

  private static JsonNode restored(JsonNode wanted, JsonNode live) {
    if (wanted.isObject() && live.isObject()) {
      ObjectNode restored = live.deepCopy();
      for (Map.Entry<String, JsonNode> field : wanted.properties()) {
        if (live.has(field.getKey())) {
          restored.set(field.getKey(), restored(field.getValue(), live.get(field.getKey())));
        }
      }
      return restored;
    }
    return wanted.isArray() && live.isArray() ? restoredList(wanted, live) : live;
  }

  private static ArrayNode restoredList(JsonNode wanted, JsonNode live) {
    ArrayNode restored = JsonNodeFactory.instance.arrayNode();
    for (JsonNode item : live) {
      JsonNode ours = namesake(wanted, item);
      if (ours == null) {
        restored.add(item);
      } else if (hasNumberOf(ours, item)) {
        restored.add(restored(ours, item));
      } else if (live.valueStream().noneMatch(other -> isIn(ours, other))) {
        restored.add(ours);
      }
    }
    return restored;
  }

  private static boolean isIn(JsonNode ours, JsonNode item) {
    return ours.get("name").equals(item.get("name")) && hasNumberOf(ours, item);
  }

  private static JsonNode namesake(JsonNode wanted, JsonNode item) {
    return wanted
        .valueStream()
        .filter(ours -> ours.hasNonNull("name") && ours.get("name").equals(item.get("name")))
        .findFirst()
        .orElse(null);
  }

  private static boolean hasNumberOf(JsonNode ours, JsonNode item) {
    return KEYS.stream().noneMatch(key -> ours.has(key) && !ours.get(key).equals(item.get(key)));
  }
}
