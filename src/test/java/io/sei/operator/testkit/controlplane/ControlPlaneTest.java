package io.sei.operator.testkit.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

@RealControlPlane
class ControlPlaneTest {

  /** A controller manager that was only just started counts as well. */
  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void givesEachTestANamespaceOfItsOwn(KubernetesClient client, TestNamespace namespace) {
    assertThat(namespace.name()).startsWith("t-gives-each-test-anamespace-of-its-own-");
    assertThat(client.namespaces().withName(namespace.name()).get().getStatus().getPhase())
        .isEqualTo("Active");
  }

  @Test
  void statefulSetControllerCreatesThePodAndLeavesItAloneOnDelete(
      KubernetesClient client, TestNamespace namespace) {
    StatefulSet set = client.resource(statefulSet(namespace, "seid:1")).create();
    Pod pod = awaitPod(client, namespace);
    assertThat(pod.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(owner -> assertThat(owner.getUid()).isEqualTo(set.getMetadata().getUid()));

    client.resource(statefulSet(namespace, "seid:2")).forceConflicts().serverSideApply();

    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              StatefulSet live = client.resource(set).get();
              assertThat(live.getStatus().getObservedGeneration()).isEqualTo(2);
              assertThat(live.getStatus().getUpdateRevision())
                  .isNotEqualTo(live.getStatus().getCurrentRevision());
            });
    assertThat(awaitPod(client, namespace).getMetadata().getUid())
        .isEqualTo(pod.getMetadata().getUid());
  }

  @Test
  void garbageCollectorDeletesWhatIsOwned(KubernetesClient client, TestNamespace namespace) {
    ConfigMap owner = client.resource(configMap(namespace, "owner", Map.of())).create();
    ConfigMap owned =
        client
            .resource(
                configMap(namespace, "owned", Map.of())
                    .edit()
                    .editMetadata()
                    .addNewOwnerReference()
                    .withApiVersion("v1")
                    .withKind("ConfigMap")
                    .withName("owner")
                    .withUid(owner.getMetadata().getUid())
                    .endOwnerReference()
                    .endMetadata()
                    .build())
            .create();

    client.resource(owner).delete();

    await().atMost(SOON).until(() -> client.resource(owned).get() == null);
  }

  @Test
  void deletedClaimsGoAway(KubernetesClient client, TestNamespace namespace) {
    PersistentVolumeClaim claim =
        client
            .resource(
                new PersistentVolumeClaimBuilder()
                    .withNewMetadata()
                    .withName("data")
                    .withNamespace(namespace.name())
                    .endMetadata()
                    .withNewSpec()
                    .withAccessModes("ReadWriteOnce")
                    .withNewResources()
                    .withRequests(Map.of("storage", new Quantity("1Gi")))
                    .endResources()
                    .endSpec()
                    .build())
            .create();
    assertThat(claim.getMetadata().getFinalizers()).contains("kubernetes.io/pvc-protection");

    client.resource(claim).delete();

    await().atMost(SOON).until(() -> client.resource(claim).get() == null);
  }

  @Test
  void serverSideApplyRemovesWhatTheManagerNoLongerWants(
      KubernetesClient client, TestNamespace namespace) {
    client
        .resource(configMap(namespace, "applied", Map.of("a", "1", "b", "2")))
        .fieldManager("test")
        .serverSideApply();

    ConfigMap again =
        client
            .resource(configMap(namespace, "applied", Map.of("a", "1")))
            .fieldManager("test")
            .serverSideApply();

    assertThat(again.getData()).containsExactly(Map.entry("a", "1"));
  }

  @Test
  void kubectlSpeaksToTheSameServer(
      ControlPlane controlPlane, KubernetesClient client, TestNamespace namespace) {
    client.resource(configMap(namespace, "seen", Map.of())).create();

    var found = controlPlane.kubectl("get", "configmap", "seen", "-n", namespace.name(), "-oname");
    var absent = controlPlane.kubectl("get", "configmap", "none", "-n", namespace.name());

    assertThat(found).isEqualTo(new ControlPlane.KubectlResult(0, "configmap/seen\n", ""));
    assertThat(absent.exitCode()).isEqualTo(1);
    assertThat(absent.stderr()).contains("NotFound");
    assertThat(controlPlane.serverVersion()).startsWith("v1.");
  }

  static StatefulSet statefulSet(TestNamespace namespace, String image) {
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withName("node")
        .withNamespace(namespace.name())
        .endMetadata()
        .withNewSpec()
        .withReplicas(1)
        .withServiceName("node")
        .withNewUpdateStrategy()
        .withType("OnDelete")
        .endUpdateStrategy()
        .withNewSelector()
        .withMatchLabels(Map.of("app", "node"))
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(Map.of("app", "node"))
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("seid")
        .withImage(image)
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  static Pod awaitPod(KubernetesClient client, TestNamespace namespace) {
    return await()
        .atMost(SOON)
        .until(
            () -> client.pods().inNamespace(namespace.name()).withName("node-0").get(),
            pod -> pod != null);
  }

  private static ConfigMap configMap(
      TestNamespace namespace, String name, Map<String, String> data) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace.name())
        .endMetadata()
        .withData(data)
        .build();
  }
}
