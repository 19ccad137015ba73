package io.sei.operator.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;

/**
 * Finds ports whose number a foreign edit has changed. To server-side apply the number is the key,
 * so ours is added beside the edited one, which keeps its name. A Service with such a pair is
 * refused by the API server; a pod template is not, but no pod can be made from it.
 */
final class RekeyedItems {

  private static final List<String> KEYS = List.of("port", "containerPort");

  private RekeyedItems() {}

  /** The merge patch that removes such ports from {@code live}; empty if there are none. */
  static ObjectNode removal(JsonNode wanted, JsonNode live) {
    return StatusPatch.diff(live, prune(wanted, live));
  }

  private static JsonNode prune(JsonNode wanted, JsonNode live) {
    if (wanted.isObject() && live.isObject()) {
      ObjectNode pruned = live.deepCopy();
      for (Map.Entry<String, JsonNode> field : wanted.properties()) {
        if (live.has(field.getKey())) {
          pruned.set(field.getKey(), prune(field.getValue(), live.get(field.getKey())));
        }
      }
      return pruned;
    }
    return wanted.isArray() && live.isArray() ? pruneList(wanted, live) : live;
  }

  private static ArrayNode pruneList(JsonNode wanted, JsonNode live) {
    ArrayNode pruned = JsonNodeFactory.instance.arrayNode();
    for (JsonNode item : live) {
      JsonNode namesake = namesake(wanted, item);
      if (namesake == null) {
        pruned.add(item);
      } else if (!isRekeyed(namesake, item)) {
        pruned.add(prune(namesake, item));
      }
    }
    return pruned;
  }

  private static JsonNode namesake(JsonNode wanted, JsonNode item) {
    for (JsonNode candidate : wanted) {
      if (candidate.hasNonNull("name") && candidate.get("name").equals(item.get("name"))) {
        return candidate;
      }
    }
    return null;
  }

  private static boolean isRekeyed(JsonNode wanted, JsonNode live) {
    return KEYS.stream().anyMatch(key -> wanted.has(key) && !wanted.get(key).equals(live.get(key)));
  }
}
