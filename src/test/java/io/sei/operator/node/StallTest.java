package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.PodFault;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StallTest extends RolloutTestCase {

  @Test
  void missingImageStallsAtOnce() {
    createRunning();
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);

    setImage(B);

    awaitStalled(StallReason.IMAGE_PULL);
    assertThat(condition(NodeConditionType.STALLED).message()).contains(B);
    kubelet.clearAll();
    awaitUpToDate(B);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
    assertThat(images()).containsExactly(A, B);
  }

  @Test
  void crashingNewPodStallsWithItsExitCode() {
    createRunning(2);
    kubelet.injectForImage(B, new PodFault.CrashLoop(42));

    setImage(B);

    awaitStalled(StallReason.CRASH_LOOP);
    assertThat(condition(NodeConditionType.STALLED).message()).contains("42");
    setImage(A);
    awaitUpToDate(A);
    eventually(() -> assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE));
    assertThat(images()).containsExactly(A, B, A);
  }

  @Test
  void unschedulablePodStallsAtTheDeadline() {
    createRunning(2);
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
    holdsFor(Duration.ofSeconds(2), () -> assertThat(podDeletes()).isEqualTo(1));
    assertThat(images()).containsExactly(A);
    operator.restart();
    kubelet.clearAll();
    awaitUpToDate(B);
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(images()).containsExactly(A, B);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
  }

  @Test
  void failingSidecarTaskStallsAtTheDeadline() {
    createRunning(2);
    sidecarFaults().failAlways(MARK_READY, "disk is full");

    setImage(B);

    awaitStalled(StallReason.SIDECAR_TASK_FAILED);
    assertThat(condition(NodeConditionType.STALLED).message()).contains("disk is full");
    sidecarFaults().clear();
    awaitUpToDate(B);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
  }

  @Test
  void rejectedSidecarTaskFailsThePlanAndStallsAtTheDeadline() {
    createRunning(2);
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
  void waitingForTheFirstReadinessCountsFromTheEndOfThePlan() {
    sidecarFaults().hold(MARK_READY);
    kubelet.inject(namespace, POD, PodFault.NEVER_READY);
    create(spec(A).withProgressDeadlineSeconds(4));
    awaitStalled(StallReason.UNKNOWN);
    sidecarFaults().release(MARK_READY);

    awaitCondition(NodeConditionType.STALLED, ConditionStatus.FALSE, "Progressing");
    awaitStalled(StallReason.UNKNOWN);
    assertThat(condition(NodeConditionType.STALLED).message()).contains("not Ready");
  }
}
