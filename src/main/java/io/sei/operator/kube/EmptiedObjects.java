package io.sei.operator.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusCause;
import io.fabric8.kubernetes.api.model.StatusDetails;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Removes the fields of objects that have to be present without any. Server-side apply turns such
 * an object into null, which the schema of a custom resource refuses (seen on Kubernetes 1.30 and
 * 1.37).
 */
final class EmptiedObjects {

  private static final String WRONG_TYPE = "FieldValueTypeInvalid";

  private EmptiedObjects() {}

  /** The fields that the API server has refused for being null. */
  static Set<String> refused(RefusedException refusal) {
    return Optional.ofNullable(refusal.getStatus()).map(Status::getDetails).stream()
        .map(StatusDetails::getCauses)
        .flatMap(List::stream)
        .filter(cause -> WRONG_TYPE.equals(cause.getReason()))
        .map(StatusCause::getField)
        .collect(Collectors.toSet());
  }

  /**
   * The merge patch that does so in {@code live}; empty if there is nothing to do.
   *
   * @param refused paths such as {@code spec.fullNode}; no other object is changed
   */
  static ObjectNode patch(JsonNode wanted, JsonNode live, Set<String> refused) {
    return StatusPatch.diff(live, emptied("", wanted, live, refused));
  }

  private static JsonNode emptied(
      String path, JsonNode wanted, JsonNode live, Set<String> refused) {
    if (!wanted.isObject() || !live.isObject()) {
      return live;
    }
    if (wanted.isEmpty()) {
      return refused.contains(path) ? wanted : live;
    }
    ObjectNode emptied = live.deepCopy();
    for (Map.Entry<String, JsonNode> field : wanted.properties()) {
      String name = field.getKey();
      if (live.has(name)) {
        String below = path.isEmpty() ? name : path + "." + name;
        emptied.set(name, emptied(below, field.getValue(), live.get(name), refused));
      }
    }
    return emptied;
  }
}
