package io.sei.operator.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/**
 * Takes the fields off objects of a spec that are to be there without any. Server-side apply makes
 * null of such an object, which the schema of a custom resource refuses (seen on Kubernetes 1.30
 * and 1.37).
 */
final class EmptiedObjects {

  private EmptiedObjects() {}

  /** The merge patch that does so in {@code live}; empty if there is nothing to do. */
  static ObjectNode patch(JsonNode wanted, JsonNode live) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ObjectNode spec =
        StatusPatch.diff(live.path("spec"), emptied(wanted.path("spec"), live.path("spec")));
    if (!spec.isEmpty()) {
      patch.set("spec", spec);
    }
    return patch;
  }

  private static JsonNode emptied(JsonNode wanted, JsonNode live) {
    if (!wanted.isObject() || !live.isObject()) {
      return live;
    }
    if (wanted.isEmpty()) {
      return wanted;
    }
    ObjectNode emptied = live.deepCopy();
    for (Map.Entry<String, JsonNode> field : wanted.properties()) {
      if (live.has(field.getKey())) {
        emptied.set(field.getKey(), emptied(field.getValue(), live.get(field.getKey())));
      }
    }
    return emptied;
  }
}
