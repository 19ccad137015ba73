package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.testkit.PodFault;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class StallTest extends RolloutTestCase {

  @Test
  void missingImageStallsAtOnce() {
    createRunning();
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);

    setImage(B);

    awaitStalled(StallReason.IMAGE_PULL);
    kubelet.clearAll();
    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
  }

  @Test
  void newPodThatCrashesStallsAtOnceAlsoAfterItsPlanHasEnded() {
    createRunning();
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    setImage(B);
    awaitCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE, NodeReason.UP_TO_DATE);

    kubelet.injectForImage(B, PodFault.CRASH_LOOP);

    awaitStalled(StallReason.CRASH_LOOP);
    setImage(A);
    awaitUpToDate(A);
    assertThat(images()).containsExactly(A, B, A);
  }

  @Test
  @Tag("long")
  void podThatWasReadyAndCrashesIsGivenUntilTheDeadline() {
    // Kubernetes tells no fractions of a second: it must be Ready in a later one than it came in.
    kubelet.inject(namespace, POD, new PodFault.SlowStart(Duration.ofSeconds(2)));
    createRunning();

    kubelet.inject(namespace, POD, PodFault.CRASH_LOOP);

    eventually(() -> assertThat(restarts()).isGreaterThanOrEqualTo(3));
    awaitCondition(NodeConditionType.STALLED, ConditionStatus.FALSE, NodeReason.PROGRESSING);
    stays(
        () ->
            assertCondition(
                NodeConditionType.STALLED, ConditionStatus.FALSE, NodeReason.PROGRESSING));
  }

  /** {@link CrashLoopStallTest} has the same as a table. */
  @Tag("long")
  @Test
  void podThatIsReadyNowAndThenIsStalledUntilItsCrashLoopIsOver() {
    createRunning(5);
    crash(3);
    Instant deadline = Instant.now().plusSeconds(5);
    eventually(() -> assertThat(node().getStatus().crashLoopSince()).isNotNull());
    recover();
    eventually(
        () -> {
          crash(1);
          recover();
          assertThat(Instant.now()).isAfter(deadline);
        });
    crash(1);
    awaitStalled(StallReason.CRASH_LOOP);

    recover();

    stays(
        () -> {
          assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
          assertCondition(NodeConditionType.STALLED, ConditionStatus.TRUE, StallReason.CRASH_LOOP);
        });
    assertThat(occurrences("Stalled")).isEqualTo(1);
    assertThat(events("Recovered")).isEmpty();
  }

  /** Waits until seid has crashed so many times more, and the node is not Ready. */
  private void crash(int times) {
    int before = restarts();
    kubelet.inject(namespace, POD, PodFault.CRASH_LOOP);
    eventually(() -> assertThat(restarts()).isGreaterThanOrEqualTo(before + times));
    eventually(() -> assertCondition(NodeConditionType.READY, ConditionStatus.FALSE));
  }

  private void recover() {
    kubelet.clearAll();
    eventually(() -> assertCondition(NodeConditionType.READY, ConditionStatus.TRUE));
  }

  @Test
  @Tag("long")
  void podThatIsToBeReplacedOnALostMachineIsLost() {
    createRunning();
    kubelet.loseNode();
    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, StallReason.NODE_LOST);

    setImage(B);

    eventually(() -> assertThat(PodFacts.isTerminating(pod())).isTrue());
    stays(
        () ->
            assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, StallReason.NODE_LOST));
    kubelet.recoverNode();
    awaitUpToDate(B);
  }

  @Test
  void unschedulablePodStallsAtTheDeadline() {
    createRunning(10);
    kubelet.inject(namespace, POD, PodFault.UNSCHEDULABLE);

    setImage(B);
    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, StallReason.UNSCHEDULABLE);
    assertThat(events("Stalled")).isEmpty();

    awaitStalled(StallReason.UNSCHEDULABLE);
    kubelet.clearAll();
  }

  @Test
  void podThatDoesNotTerminateIsAskedOnce() {
    create(spec(A).with(it -> it.progressDeadlineSeconds(2).terminationGracePeriodSeconds(1L)));
    awaitUpToDate(A);
    kubelet.inject(namespace, POD, PodFault.HANGING_TERMINATION);

    setImage(B);

    awaitStalled(StallReason.POD_TERMINATING);
    stays(() -> assertThat(podDeletes()).isEqualTo(1));
    assertThat(images()).containsExactly(A);
    operator.restart();
    kubelet.clearAll();
    awaitUpToDate(B);
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(images()).containsExactly(A, B);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
  }

  @Test
  @Tag("long")
  void rejectedSidecarTaskFailsThePlanAndStallsAtOnce() {
    createRunning();
    sidecarFaults().reject(MARK_READY, "no such task");

    setImage(B);

    awaitCondition(
        NodeConditionType.NODE_UPDATE_IN_PROGRESS, ConditionStatus.FALSE, "UpdateFailed");
    awaitStalled(StallReason.SIDECAR_TASK_FAILED);
    assertThat(condition(NodeConditionType.STALLED).message()).contains("no such task");
    sidecarFaults().clear();
    annotate("sei.io/retry", "1");
    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
  }

  @Test
  @Tag("long")
  void waitingForTheFirstReadinessCountsFromTheEndOfThePlan() {
    sidecarFaults().hold(MARK_READY);
    kubelet.inject(namespace, POD, PodFault.NEVER_READY);
    create(spec(A).withProgressDeadlineSeconds(4));
    awaitStep(MARK_READY);
    awaitStalled(StallReason.UNKNOWN);
    try (var versions = new NodeVersions(client, namespace)) {
      sidecarFaults().release(MARK_READY);

      eventually(
          () -> {
            assertCondition(NodeConditionType.STALLED, ConditionStatus.TRUE, StallReason.UNKNOWN);
            assertThat(condition(NodeConditionType.STALLED).message()).contains("not Ready");
          });
      assertThat(versions.seen(StallTest::stalledAfterThePlan))
          .containsExactly("Recovering", "Unknown");
    }
  }

  private static String stalledAfterThePlan(SeiNodeStatus status) {
    return status.plan() == null
        ? Conditions.find(status.conditions(), NodeConditionType.STALLED).orElseThrow().reason()
        : null;
  }

  /** Most restarts of any container of the pod. */
  private int restarts() {
    PodStatus status = pod().getStatus();
    return Stream.of(status.getInitContainerStatuses(), status.getContainerStatuses())
        .flatMap(List::stream)
        .mapToInt(ContainerStatus::getRestartCount)
        .max()
        .orElse(0);
  }
}
