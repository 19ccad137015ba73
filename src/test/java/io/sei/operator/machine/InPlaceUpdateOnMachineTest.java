package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import io.sei.operator.testkit.ExpectedSequences;
import io.sei.operator.testkit.PodSequences;
import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Machine;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A real kubelet gives a running pod other images and resources. What it says meanwhile is what
 * {@code KubeletSequencesTest} holds the simulated one to.
 */
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class InPlaceUpdateOnMachineTest extends MachineTestCase {

  private static final String REPLACING = "status.plan.tasks[?(@.type=='replace-pod')].message";

  private static final String OTHER_SIDECAR = "ghcr.io/sei-protocol/seictl:v0.0.70";

  private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);

  /** 10, 20, 40, 80 and 160 seconds come before it. */
  private static final Duration UNTIL_FIVE_MINUTES = Duration.ofMinutes(8);

  @Test
  void imagesAndResourcesChangeOneAfterTheOtherAndATypoStopsNothingThatServes() {
    try (var pods = new PodSequences(machine.client(), namespace, POD)) {
      createInPlace(Chain.V1);
      awaitReady();
      String pod = podUid();

      editImage(Chain.V2.image());
      awaitBlocks(Chain.V2.image());
      awaitReady();
      String seid = seid("status.containerStatuses", "containerID");
      patch("{\"spec\":{\"sidecar\":{\"image\":\"%s\"}}}".formatted(OTHER_SIDECAR));
      eventually(() -> assertThat(status("status.currentSidecarImage")).isEqualTo(OTHER_SIDECAR));
      eventually(() -> assertThat(condition("UpToDate")).startsWith("True/"));
      awaitReady();
      requestCpu("20m");
      awaitCpu("20m");
      assertControllerAgrees();
      requestCpu(machineCpu() - 60 + "m");
      eventually(() -> assertThat(status(REPLACING)).contains("Deferred"));
      requestCpu(machineCpu() + "m");
      eventually(() -> assertThat(condition("Stalled")).isEqualTo("True/PodResizePending"));
      assertThat(condition("Ready")).startsWith("True/");
      requestCpu("20m");
      awaitCpu("20m");

      assertThat(podUid()).isEqualTo(pod);
      assertThat(seid("status.containerStatuses", "containerID")).isEqualTo(seid);
      assertControllerAgrees();
      editImage(Chain.V2.image() + "-missing");
      eventually(() -> assertThat(condition("Stalled")).isEqualTo("True/ImagePull"));
      assertThat(condition("Ready")).startsWith("True/");
      assertThat(seid("status.containerStatuses", "containerID")).isEqualTo(seid);
      // From here on nobody can find out ahead that there is no such image.
      kubectl("create", "quota", "no-jobs", "--hard=count/jobs.batch=0");
      editImage(Chain.V2.image() + "-typo");
      eventually(() -> assertThat(status("status.podUpdate.reason")).isEqualTo("ImagePull"));
      eventually(() -> assertThat(condition("Stalled")).isEqualTo("True/ImagePull"));
      eventually(() -> ExpectedSequences.of("in-place").assertAgree(pods.said()));
    }
    editImage(Chain.V2.image());

    awaitBlocks(Chain.V2.image());
  }

  @Test
  void nodeThatHaltedGoesOnInItsPodOutOfItsBackOff() {
    try (var pods = new PodSequences(machine.client(), namespace, POD)) {
      createInPlace(Chain.V1_HALTING);
      eventually(() -> assertThat(restarts()).isGreaterThanOrEqualTo(2));
      String pod = podUid();

      listUpgrade(Chain.HEIGHT, Chain.V2.image());

      awaitHeight(POD, Chain.HEIGHT + 1);
      awaitReady();
      assertThat(podUid()).isEqualTo(pod);
      assertThat(condition("Stalled")).startsWith("False/");
      assertThat(status("status.podUpdate.how")).isEqualTo("InPlace");
      assertThat(status("status.upgrades[0].state")).isEqualTo("Applied");
      assertControllerAgrees();
      eventually(() -> ExpectedSequences.of("in-place-crash-loop").assertAgree(pods.said()));
    }
  }

  /** A kubelet counts the back-off by image, so what the old one waits for holds up no other. */
  @Tag("long")
  @Test
  void editedImageStartsAtOnceWhereTheOldOneWaitsForFiveMinutes() {
    assertThat(Machine.LONGEST_BACKOFF)
        .as("run this test with BACKOFF=300s, as make test-long does")
        .isEqualTo("300s");
    createInPlace(Chain.V1_HALTING);
    await()
        .atMost(UNTIL_FIVE_MINUTES)
        .pollInterval(Duration.ofSeconds(1))
        .ignoreException(IllegalStateException.class)
        .untilAsserted(
            () ->
                assertThat(seid("status.containerStatuses", "state.waiting.message"))
                    .startsWith("back-off 5m0s "));
    String pod = podUid();
    Instant ended = instant("lastState.terminated.finishedAt");

    editImage(Chain.V2.image());

    awaitBlocks(Chain.V2.image());
    assertThat(podUid()).isEqualTo(pod);
    assertThat(instant("state.running.startedAt")).isBefore(ended.plus(FIVE_MINUTES));
  }

  private Instant instant(String field) {
    return Instant.parse(seid("status.containerStatuses", field));
  }

  private void createInPlace(Chain chain) {
    createNode(chain.image());
    patch("{\"spec\":{\"updatePolicy\":{\"pod\":\"InPlaceIfPossible\"}}}");
  }

  private void requestCpu(String amount) {
    patch("{\"spec\":{\"resources\":{\"requests\":{\"cpu\":\"%s\"}}}}".formatted(amount));
  }

  /**
   * Returns the CPU of the machine for pods, in thousandths; containers beside seid request 50 of
   * them.
   */
  private int machineCpu() {
    String cpu = kubectl("get", "nodes", "-o", "jsonpath={.items[0].status.allocatable.cpu}");
    return cpu.endsWith("m")
        ? Integer.parseInt(cpu.replace("m", ""))
        : 1000 * Integer.parseInt(cpu.trim());
  }

  /** Waits for the CPU that the kubelet reports. */
  private void awaitCpu(String amount) {
    eventually(
        () -> {
          assertThat(condition("UpToDate")).startsWith("True/");
          assertThat(seid("status.containerStatuses", "resources.requests.cpu")).isEqualTo(amount);
        });
  }

  /** From Kubernetes 1.37 on the current revision advances under OnDelete too. */
  private void assertControllerAgrees() {
    eventually(
        () -> {
          StatefulSetStatus said =
              machine
                  .client()
                  .apps()
                  .statefulSets()
                  .inNamespace(namespace)
                  .withName(NODE)
                  .get()
                  .getStatus();
          assertThat(said.getUpdatedReplicas()).isEqualTo(1);
          assertThat(said.getCurrentRevision()).isEqualTo(said.getUpdateRevision());
        });
  }
}
