package io.sei.operator.testkit;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class KubeletSimulatorTest extends KubeletTestCase {

  @Test
  void podRunsAndIsReadyOnceItsSidecarIsMarkedReady() {
    create("node");

    eventually(() -> assertThat(pod().getStatus().getPhase()).isEqualTo("Running"));
    Pod running = pod();
    assertThat(running.getSpec().getNodeName()).isEqualTo(kubelet.nodeName());
    assertThat(condition(running, "PodScheduled")).isEqualTo("True");
    assertThat(condition(running, "Initialized")).isEqualTo("True");
    assertThat(condition(running, "Ready")).isEqualTo("False");
    assertThat(running.getStatus().getPodIP()).isEqualTo("127.0.0.1");
    assertThat(init(running, "seid-init").getState().getTerminated().getExitCode()).isZero();
    assertThat(container(running, "sei-sidecar").getReady()).isTrue();
    ContainerStatus seid = container(running, "seid");
    assertThat(seid.getReady()).isFalse();
    assertThat(seid.getState().getRunning()).isNotNull();
    assertThat(seid.getImageID()).startsWith("sim://" + IMAGE + "@sha256:");

    markReady("node");

    eventually(() -> assertReady("True"));
    eventually(() -> assertThat(statefulSet("node").getStatus().getReadyReplicas()).isEqualTo(1));
  }

  @Test
  void sidecarRestartMakesThePodUnready() {
    createReady();

    sidecar.restart(namespace, "node");

    eventually(() -> assertReady("False"));
    markReady("node");
    eventually(() -> assertReady("True"));
  }

  @Test
  void deletedPodTerminatesAndIsReplaced() {
    createReady();
    String first = pod().getMetadata().getUid();

    client.pods().inNamespace(namespace).withName(POD).delete();

    eventually(() -> assertThat(pod().getMetadata().getUid()).isNotEqualTo(first));
    eventually(() -> assertThat(pod().getStatus().getPhase()).isEqualTo("Running"));
    assertReady("False");
    List<PodRecord> history = kubelet.history(namespace, POD);
    assertThat(history).hasSize(2);
    assertThat(history.get(0).uid()).isEqualTo(first);
    assertThat(Duration.between(history.get(0).deletionRequestedAt(), history.get(0).deletedAt()))
        .isBetween(ofMillis(200), PATIENCE);
    assertThat(history.get(1).deletedAt()).isNull();
    assertThat(history).extracting(PodRecord::image).containsOnly(IMAGE);
  }

  @Test
  void claimIsBoundAndItsVolumeGoesWithIt() {
    createClaim("data-node");
    create("node", "data-node");

    eventually(() -> assertThat(pod().getStatus().getPhase()).isEqualTo("Running"));
    PersistentVolumeClaim claim = claim("data-node");
    assertThat(claim.getStatus().getPhase()).isEqualTo("Bound");
    assertThat(claim.getStatus().getCapacity()).containsEntry("storage", new Quantity("2Ti"));
    String volume = claim.getSpec().getVolumeName();
    assertThat(client.persistentVolumes().withName(volume).get().getStatus().getPhase())
        .isEqualTo("Bound");

    client.apps().statefulSets().inNamespace(namespace).withName("node").delete();
    client.persistentVolumeClaims().inNamespace(namespace).withName("data-node").delete();

    eventually(() -> assertThat(claim("data-node")).isNull());
    eventually(() -> assertThat(client.persistentVolumes().withName(volume).get()).isNull());
  }

  @Test
  void podWaitsForItsVolume() {
    kubelet.holdVolumeBinding(true);
    createClaim("data-node");
    create("node", "data-node");
    eventually(
        () ->
            assertThat(find(pod(), "PodScheduled").getMessage())
                .contains("unbound immediate PersistentVolumeClaims"));

    kubelet.holdVolumeBinding(false);

    eventually(() -> assertThat(pod().getStatus().getPhase()).isEqualTo("Running"));
  }

  @Test
  void nextKubeletTakesOverRunningPods() {
    createReady();
    ContainerStatus before = container(pod(), "seid");
    kubelet.close();

    kubelet = KubeletSimulator.inNamespace(client, sidecar, namespace);

    kubelet.inject(namespace, POD, PodFault.NEVER_READY);
    eventually(() -> assertReady("False"));
    assertThat(pod().getStatus().getPhase()).isEqualTo("Running");
    assertThat(container(pod(), "seid").getState()).isEqualTo(before.getState());
    kubelet.clear(namespace, POD);
    eventually(() -> assertReady("True"));
  }

  @Tag("long")
  @Test
  void fiftyPodsAreReplacedTogether() {
    List<String> nodes = IntStream.range(0, 50).mapToObj(i -> "fleet-" + i).toList();
    nodes.forEach(this::create);
    eventually(() -> assertThat(running()).isEqualTo(50));
    nodes.forEach(this::markReady);
    eventually(() -> assertThat(ready()).isEqualTo(50));

    client.pods().inNamespace(namespace).delete();

    eventually(
        () ->
            assertThat(nodes)
                .allSatisfy(
                    node -> assertThat(kubelet.history(namespace, node + "-0")).hasSize(2)));
    eventually(() -> assertThat(running()).isEqualTo(50));
    nodes.forEach(this::markReady);
    eventually(() -> assertThat(ready()).isEqualTo(50));
  }

  private long running() {
    return client.pods().inNamespace(namespace).list().getItems().stream()
        .filter(p -> p.getMetadata().getDeletionTimestamp() == null)
        .filter(p -> "Running".equals(p.getStatus().getPhase()))
        .count();
  }

  private long ready() {
    return client.pods().inNamespace(namespace).list().getItems().stream()
        .filter(p -> "True".equals(condition(p, "Ready")))
        .count();
  }
}
