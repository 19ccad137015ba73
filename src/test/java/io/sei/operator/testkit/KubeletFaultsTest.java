package io.sei.operator.testkit;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class KubeletFaultsTest extends KubeletTestCase {

  @Test
  void neverReady() {
    kubelet.inject(namespace, POD, PodFault.NEVER_READY);
    create("node");
    eventually(() -> assertThat(pod().getStatus().getPhase()).isEqualTo("Running"));
    markReady("node");
    await().during(ofMillis(300)).untilAsserted(() -> assertReady("False"));

    kubelet.clear(namespace, POD);

    eventually(() -> assertReady("True"));
  }

  @Test
  void imagePullFailsInTheFirstContainerOfTheImage() {
    kubelet.injectForImage(IMAGE, PodFault.IMAGE_PULL);
    create("node");
    eventually(
        () -> {
          var waiting = init(pod(), "seid-init").getState().getWaiting();
          assertThat(waiting.getReason()).isEqualTo("ImagePullBackOff");
          assertThat(waiting.getMessage()).contains(IMAGE);
        });
    ContainerStatus seid = container(pod(), "seid");
    assertThat(seid.getState().getWaiting().getReason()).isEqualTo("PodInitializing");
    assertThat(seid.getImageID()).isEmpty();
    assertThat(pod().getStatus().getPhase()).isEqualTo("Pending");

    kubelet.clearImage(IMAGE);

    eventually(() -> assertThat(pod().getStatus().getPhase()).isEqualTo("Running"));
  }

  @Test
  void crashLoopGrowsAndEnds() {
    createReady();

    kubelet.inject(namespace, POD, new PodFault.CrashLoop(137));

    eventually(
        () -> {
          ContainerStatus seid = container(pod(), "seid");
          assertThat(seid.getState().getWaiting().getReason()).isEqualTo("CrashLoopBackOff");
          assertThat(seid.getLastState().getTerminated().getExitCode()).isEqualTo(137);
          assertThat(seid.getRestartCount()).isGreaterThanOrEqualTo(2);
        });
    assertReady("False");
    kubelet.clear(namespace, POD);
    eventually(() -> assertReady("True"));
    assertThat(container(pod(), "seid").getState().getRunning()).isNotNull();
  }

  @Test
  void upgradeHaltEndsWithTheNextImage() {
    createReady();

    kubelet.halt(namespace, POD, "v6", 777);

    eventually(
        () ->
            assertThat(container(pod(), "seid").getLastState().getTerminated().getMessage())
                .contains("UPGRADE \"v6\" NEEDED at height: 777"));
    assertReady("False");
    client.pods().inNamespace(namespace).withName(POD).delete();
    eventually(() -> assertThat(kubelet.history(namespace, POD)).hasSize(2));
    eventually(
        () ->
            assertThat(container(pod(), "seid").getState().getWaiting().getReason())
                .isEqualTo("CrashLoopBackOff"));
    setImage(NEW_IMAGE);
    eventually(
        () -> {
          assertThat(container(pod(), "seid").getImage()).isEqualTo(NEW_IMAGE);
          assertThat(container(pod(), "seid").getState().getRunning()).isNotNull();
        });
    markReady("node");
    eventually(() -> assertReady("True"));
    assertThat(kubelet.history(namespace, POD)).hasSize(3);
  }

  @Test
  void imageTooEarly() {
    kubelet.injectForImage(IMAGE, PodFault.IMAGE_TOO_EARLY);
    create("node");

    eventually(
        () ->
            assertThat(container(pod(), "seid").getLastState().getTerminated().getMessage())
                .contains("BINARY UPDATED BEFORE TRIGGER! UPGRADE \"v2\""));
  }

  @Test
  void unschedulablePodIsBoundOnceCleared() {
    kubelet.inject(namespace, POD, PodFault.UNSCHEDULABLE);
    create("node");
    eventually(
        () -> {
          PodCondition scheduled = find(pod(), "PodScheduled");
          assertThat(scheduled.getStatus()).isEqualTo("False");
          assertThat(scheduled.getReason()).isEqualTo("Unschedulable");
          assertThat(scheduled.getMessage()).startsWith("0/1 nodes are available");
        });
    assertThat(pod().getSpec().getNodeName()).isNull();

    kubelet.clear(namespace, POD);

    eventually(() -> assertThat(pod().getStatus().getPhase()).isEqualTo("Running"));
  }

  @Test
  void hangingTerminationEndsOnceCleared() {
    createReady();
    String uid = pod().getMetadata().getUid();
    kubelet.inject(namespace, POD, PodFault.HANGING_TERMINATION);
    client.pods().inNamespace(namespace).withName(POD).delete();
    await()
        .during(ofMillis(600))
        .untilAsserted(
            () -> {
              assertThat(pod().getMetadata().getUid()).isEqualTo(uid);
              assertThat(pod().getMetadata().getDeletionTimestamp()).isNotNull();
            });

    kubelet.clear(namespace, POD);

    eventually(() -> assertThat(pod().getMetadata().getUid()).isNotEqualTo(uid));
  }

  @Test
  void slowStartDelaysTheContainers() {
    kubelet.inject(namespace, POD, new PodFault.SlowStart(Duration.ofHours(1)));
    create("node");
    eventually(
        () ->
            assertThat(container(pod(), "seid").getState().getWaiting().getReason())
                .isEqualTo("PodInitializing"));

    kubelet.clear(namespace, POD);

    eventually(() -> assertThat(pod().getStatus().getPhase()).isEqualTo("Running"));
  }

  @Test
  void sidecarCrashLoopMakesItsApiUnreachable() {
    createReady();

    kubelet.inject(namespace, POD, PodFault.SIDECAR_CRASH_LOOP);

    eventually(
        () ->
            assertThat(container(pod(), "sei-sidecar").getState().getWaiting().getReason())
                .isEqualTo("CrashLoopBackOff"));
    eventually(() -> assertReady("False"));
    assertThat(sidecar.isReachable(namespace, "node")).isFalse();
    kubelet.clear(namespace, POD);
    eventually(() -> assertThat(sidecar.isReachable(namespace, "node")).isTrue());
    markReady("node");
    eventually(() -> assertReady("True"));
  }

  @Test
  void lostNodeTouchesNothingUntilItIsBack() {
    createReady();
    String uid = pod().getMetadata().getUid();

    kubelet.loseNode();

    assertThat(nodeReady()).isEqualTo("Unknown");
    eventually(() -> assertReady("False"));
    assertThat(sidecar.isReachable(namespace, "node")).isFalse();
    client.pods().inNamespace(namespace).withName(POD).delete();
    await()
        .during(ofMillis(600))
        .untilAsserted(() -> assertThat(pod().getMetadata().getUid()).isEqualTo(uid));
    kubelet.recoverNode();
    assertThat(nodeReady()).isEqualTo("True");
    eventually(() -> assertThat(pod().getMetadata().getUid()).isNotEqualTo(uid));
    eventually(() -> assertThat(pod().getStatus().getPhase()).isEqualTo("Running"));
  }
}
