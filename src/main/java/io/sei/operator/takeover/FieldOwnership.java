package io.sei.operator.takeover;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.kube.ManagedFields;
import io.sei.operator.kube.Refusal;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Folds fields that an earlier operator owns through plain updates into what ours owns through
 * apply. Without it a field that ours stops to render would stay forever, since its other owner
 * never gives it up.
 */
public final class FieldOwnership {

  private static final String APPLY = "Apply";
  private static final String UPDATE = "Update";
  private static final String FIELDS = "fieldsV1";

  /**
   * Field managers of a Go operator when it does not apply. The API server takes them from the user
   * agent, which begins with the name of the binary.
   */
  private static final Set<String> UPDATERS = Set.of("manager", "sei-k8s-controller");

  private final KubernetesClient client;
  private final String fieldManager;

  /**
   * @param fieldManager whose applies take over what predecessors, or itself, wrote by updates
   */
  public FieldOwnership(KubernetesClient client, String fieldManager) {
    this.client = client;
    this.fieldManager = fieldManager;
  }

  /**
   * Takes over what predecessors own of an object; does nothing where they own nothing.
   *
   * @param left fields that stay with their owner, as dotted paths such as {@code spec.paused}
   * @throws io.fabric8.kubernetes.client.KubernetesClientException 409 if the object changed
   *     meanwhile
   */
  public void takeOver(HasMetadata object, Set<String> left) {
    ManagedFields managed = ManagedFields.of(client, object);
    ArrayNode folded = fold(managed.entries(), left);
    if (folded.equals(managed.entries())) {
      return;
    }
    ArrayNode patch = JsonNodeFactory.instance.arrayNode();
    patch
        .addObject()
        .put("op", "replace")
        .put("path", "/metadata/managedFields")
        .set("value", folded);
    patch
        .addObject()
        .put("op", "replace")
        .put("path", "/metadata/resourceVersion")
        .put("value", managed.resourceVersion());
    Refusal.named(
        object.getKind() + " " + object.getMetadata().getName(),
        () -> client.resource(object).patch(PatchContext.of(PatchType.JSON), patch.toString()));
  }

  /** The fields of an object's spec that were set, by whomever, and that a model lacks. */
  public List<String> unserved(HasMetadata object, Class<?> model) {
    return UnservedFields.of(ManagedFields.of(client, object).entries(), model);
  }

  /** The entries with all updates of predecessors, but for what is left, merged into our apply. */
  ArrayNode fold(JsonNode entries, Set<String> left) {
    ArrayNode result = JsonNodeFactory.instance.arrayNode();
    ObjectNode ours = null;
    for (JsonNode entry : entries) {
      if (!isInherited(entry) && !isOurs(entry)) {
        result.add(entry);
        continue;
      }
      ObjectNode taken = entry.deepCopy();
      if (isInherited(entry)) {
        ObjectNode rest = split(taken, left);
        if (rest.has(FIELDS)) {
          result.add(rest);
        }
      }
      if (ours != null) {
        merge((ObjectNode) ours.get(FIELDS), taken.path(FIELDS));
      } else if (taken.has(FIELDS)) {
        ours = taken.put("manager", fieldManager).put("operation", APPLY);
        result.add(ours);
      }
    }
    return result;
  }

  /** Takes fields out of an entry; returns an entry of its manager with just these. */
  private static ObjectNode split(ObjectNode entry, Set<String> left) {
    ObjectNode rest = entry.deepCopy();
    rest.remove(FIELDS);
    for (String field : left) {
      JsonPointer path = JsonPointer.compile("/" + FIELDS + "/f:" + field.replace(".", "/f:"));
      JsonNode owned = entry.at(path);
      if (!owned.isMissingNode()) {
        rest.withObject(path.head()).set(path.last().getMatchingProperty(), owned);
        remove(entry, path);
      }
    }
    return rest;
  }

  /**
   * Removes the path and the parents that it leaves empty, as an empty parent stands for its own
   * value.
   */
  private static void remove(ObjectNode entry, JsonPointer path) {
    var parent = (ObjectNode) entry.at(path.head());
    parent.remove(path.last().getMatchingProperty());
    if (parent.isEmpty()) {
      remove(entry, path.head());
    }
  }

  private boolean isInherited(JsonNode entry) {
    return UPDATE.equals(entry.path("operation").asText())
        && entry.path("subresource").asText().isEmpty()
        && isPredecessor(entry.path("manager").asText());
  }

  private boolean isPredecessor(String manager) {
    return manager.equals(fieldManager) || UPDATERS.contains(manager);
  }

  private boolean isOurs(JsonNode entry) {
    return APPLY.equals(entry.path("operation").asText())
        && fieldManager.equals(entry.path("manager").asText());
  }

  private static void merge(ObjectNode into, JsonNode fields) {
    for (Map.Entry<String, JsonNode> field : fields.properties()) {
      JsonNode present = into.get(field.getKey());
      if (present instanceof ObjectNode object) {
        merge(object, field.getValue());
      } else {
        into.set(field.getKey(), field.getValue().deepCopy());
      }
    }
  }
}
