package io.sei.operator.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.util.Iterator;
import java.util.Map;

/**
 * Writes the status of a custom resource as a JSON merge patch (RFC 7386) with explicit nulls and
 * the resourceVersion it was computed from.
 *
 * <p>The framework's own ways do not do: its patches leave out nulls and so can never clear a
 * field, and what {@code UpdateControl.patchStatus} gets back is not cached, so the next read is
 * stale.
 */
public final class StatusPatch {

  private StatusPatch() {}

  /**
   * Writes what differs between the status of {@code before} and {@code after}; nothing if nothing
   * does. What is written is what the next reconcile reads.
   *
   * @return the resource as it is now
   * @throws io.fabric8.kubernetes.client.KubernetesClientException 409 if the resource changed
   *     since {@code before} was read
   */
  public static <S, P extends CustomResource<?, S>> P write(P before, S after, Context<P> context) {
    KubernetesClient client = context.getClient();
    KubernetesSerialization serialization = client.getKubernetesSerialization();
    ObjectNode diff = diff(json(serialization, before.getStatus()), json(serialization, after));
    if (diff.isEmpty()) {
      return before;
    }
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.putObject("metadata").put("resourceVersion", before.getMetadata().getResourceVersion());
    patch.set("status", diff);
    P saved =
        client
            .resource(metadataOf(before, context))
            .subresource("status")
            .patch(PatchContext.of(PatchType.JSON_MERGE), patch.toString());
    context
        .eventSourceRetriever()
        .getControllerEventSource()
        .handleRecentResourceUpdate(ResourceID.fromResource(saved), saved, before);
    return saved;
  }

  /** The client copies through JSON what is patched, of which it needs the name alone. */
  private static <S, P extends CustomResource<?, S>> P metadataOf(P resource, Context<P> context) {
    P copy =
        context
            .getControllerConfiguration()
            .getConfigurationService()
            .getResourceCloner()
            .clone(resource);
    copy.setSpec(null);
    copy.setStatus(null);
    return copy;
  }

  private static JsonNode json(KubernetesSerialization serialization, Object status) {
    return status == null
        ? MissingNode.getInstance()
        : serialization.convertValue(status, ObjectNode.class);
  }

  /** The merge patch that turns {@code was} into {@code now}; lists are replaced as a whole. */
  static ObjectNode diff(JsonNode was, JsonNode now) {
    ObjectNode diff = JsonNodeFactory.instance.objectNode();
    for (Iterator<String> names = was.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!now.has(name)) {
        diff.putNull(name);
      }
    }
    for (Map.Entry<String, JsonNode> field : now.properties()) {
      JsonNode before = was.get(field.getKey());
      if (before != null && before.isObject() && field.getValue().isObject()) {
        ObjectNode inner = diff(before, field.getValue());
        if (!inner.isEmpty()) {
          diff.set(field.getKey(), inner);
        }
      } else if (!field.getValue().equals(before)) {
        diff.set(field.getKey(), field.getValue());
      }
    }
    return diff;
  }
}
