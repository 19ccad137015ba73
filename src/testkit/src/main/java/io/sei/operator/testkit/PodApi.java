package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.HttpURLConnection;
import java.util.Map;

/**
 * Writes the fields of a pod that scheduler and kubelet write. Each write means one pod instance:
 * when another pod has taken the name meanwhile, nothing is written and nothing fails.
 */
final class PodApi {
  private final KubernetesClient client;

  PodApi(KubernetesClient client) {
    this.client = client;
  }

  void bind(Pod pod, String node) {
    ignoringOthers(
        () ->
            client
                .bindings()
                .inNamespace(pod.getMetadata().getNamespace())
                .resource(
                    new BindingBuilder()
                        .withNewMetadata()
                        .withNamespace(pod.getMetadata().getNamespace())
                        .withName(pod.getMetadata().getName())
                        .withUid(pod.getMetadata().getUid())
                        .endMetadata()
                        .withNewTarget()
                        .withApiVersion("v1")
                        .withKind("Node")
                        .withName(node)
                        .endTarget()
                        .build())
                .create());
  }

  void writeStatus(Pod pod, PodStatus status) {
    Map<String, Object> patch =
        Map.of("metadata", Map.of("uid", pod.getMetadata().getUid()), "status", status);
    ignoringOthers(
        () ->
            client
                .resource(nameOf(pod))
                .subresource("status")
                .patch(PatchContext.of(PatchType.JSON_MERGE), Serialization.asJson(patch)));
  }

  /** Names a pod; the client would copy the whole of it for a patch. */
  private static Pod nameOf(Pod pod) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(pod.getMetadata().getNamespace())
        .withName(pod.getMetadata().getName())
        .endMetadata()
        .build();
  }

  void delete(Pod pod) {
    DeleteOptions options =
        new DeleteOptionsBuilder()
            .withGracePeriodSeconds(0L)
            .withNewPreconditions()
            .withUid(pod.getMetadata().getUid())
            .endPreconditions()
            .build();
    String path =
        "/api/v1/namespaces/%s/pods/%s"
            .formatted(pod.getMetadata().getNamespace(), pod.getMetadata().getName());
    ignoringOthers(() -> client.raw(path, "DELETE", options));
  }

  private static void ignoringOthers(Runnable write) {
    try {
      write.run();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND
          && e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
    }
  }
}
