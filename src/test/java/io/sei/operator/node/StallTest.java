package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.PodFault;
import org.junit.jupiter.api.Test;

class StallTest extends RolloutTestCase {

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
  void podThatDoesNotTerminateIsAskedOnce() {
    create(
        spec(A)
            .with(builder -> builder.progressDeadlineSeconds(2).terminationGracePeriodSeconds(1L)));
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
}
