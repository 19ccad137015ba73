package io.sei.operator.testkit;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.ResourceQuotaStatusBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import java.net.HttpURLConnection;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Where a {@link Fault} is brought about: a node, and what simulates its surroundings.
 *
 * @param client acts as an administrator of the cluster
 * @param fleet the deployment that the node is of, if it is of one
 */
public record FaultStage(
    KubernetesClient client,
    KubeletSimulator kubelet,
    SidecarSimulator sidecar,
    String namespace,
    String node,
    Optional<String> fleet) {

  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final String QUOTA = "pods";
  private static final Map<String, String> DATABASE = Map.of("app", "database");

  /** Where the node is nobody's. */
  public FaultStage(
      KubernetesClient client,
      KubeletSimulator kubelet,
      SidecarSimulator sidecar,
      String namespace,
      String node) {
    this(client, kubelet, sidecar, namespace, node, Optional.empty());
  }

  void inject(PodFault fault) {
    kubelet.inject(namespace, pod(), fault);
  }

  void clear() {
    kubelet.clear(namespace, pod());
  }

  SidecarFaults sidecarFaults() {
    return sidecar.faults(namespace, node);
  }

  void setImage(String image) {
    patchSpec("{\"image\":\"" + image + "\"}");
  }

  void patchSpec(String patch) {
    String spec = "{\"spec\":" + patch + "}";
    if (fleet.isPresent()) {
      patch(new SeiNodeDeployment(), fleet.get(), "{\"spec\":{\"template\":" + spec + "}}");
    } else {
      patch(new SeiNode(), node, spec);
    }
  }

  /** Makes the operator look at the node now, as a user would who knows that the cause is gone. */
  void retry() {
    annotate(new SeiNode(), "sei.io/retry");
  }

  /** Forbids pods, and waits until that is in force. */
  void forbidPods() {
    client
        .resource(
            new ResourceQuotaBuilder()
                .withMetadata(metadata(QUOTA))
                .withNewSpec()
                .addToHard("pods", new Quantity("0"))
                .endSpec()
                .build())
        .create();
    quota("0");
    await().ignoreExceptions().until(this::isPodRefused);
  }

  /** Raises the quota, and has the StatefulSet controller try again now instead of later. */
  void allowPods() {
    patch(new ResourceQuota(), QUOTA, "{\"spec\":{\"hard\":{\"pods\":\"1000\"}}}");
    quota("1000");
    await().until(() -> !isPodRefused());
    annotate(new StatefulSet(), "tried");
  }

  void deletePod() {
    client.pods().inNamespace(namespace).withName(pod()).delete();
  }

  /** Creates a StatefulSet with the node's name that is nobody's. */
  void createForeignStatefulSet() {
    client
        .resource(
            new StatefulSetBuilder()
                .withMetadata(metadata(node))
                .withNewSpec()
                .withReplicas(0)
                .withServiceName("database")
                .withNewSelector()
                .withMatchLabels(DATABASE)
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(DATABASE)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("database")
                .withImage("database")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build())
        .create();
  }

  /** Its name is free at once: an object without finalizers is gone with the answer. */
  void deleteForeignStatefulSet() {
    client.apps().statefulSets().inNamespace(namespace).withName(node).delete();
  }

  private String pod() {
    return node + "-0";
  }

  /** Quotas count from their status, which the controller that writes it here is not run for. */
  private void quota(String pods) {
    var status =
        new ResourceQuotaStatusBuilder()
            .addToHard("pods", new Quantity(pods))
            .addToUsed("pods", new Quantity("0"))
            .build();
    ResourceQuota quota = named(new ResourceQuota(), QUOTA);
    quota.setStatus(status);
    client.resource(quota).subresource("status").patch(MERGE, statusPatch(quota));
  }

  private String statusPatch(ResourceQuota quota) {
    return client.getKubernetesSerialization().asJson(Map.of("status", quota.getStatus()));
  }

  private boolean isPodRefused() {
    try {
      client
          .resource(
              new PodBuilder()
                  .withMetadata(metadata("probe"))
                  .withNewSpec()
                  .addNewContainer()
                  .withName("probe")
                  .withImage("probe")
                  .endContainer()
                  .endSpec()
                  .build())
          .dryRun()
          .create();
      return false;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        return true;
      }
      throw e;
    }
  }

  private void annotate(HasMetadata kind, String annotation) {
    patch(
        kind,
        node,
        "{\"metadata\":{\"annotations\":{\"" + annotation + "\":\"" + Instant.now() + "\"}}}");
  }

  private <T extends HasMetadata> void patch(T kind, String name, String patch) {
    client.resource(named(kind, name)).patch(MERGE, patch);
  }

  private <T extends HasMetadata> T named(T object, String name) {
    object.setMetadata(metadata(name));
    return object;
  }

  private ObjectMeta metadata(String name) {
    return new ObjectMetaBuilder().withName(name).withNamespace(namespace).build();
  }
}
