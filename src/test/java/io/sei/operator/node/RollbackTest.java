package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.PodFault;
import org.junit.jupiter.api.Test;

/** Going back to an image that ran before re-uses its revision of the StatefulSet. */
class RollbackTest extends RolloutTestCase {

  @Test
  void goingBackRunsTheOldImageAgain() {
    createRunning();
    setImage(B);
    awaitUpToDate(B);

    setImage(A);

    awaitUpToDate(A);
    assertThat(images()).containsExactly(A, B, A);
  }

  @Test
  void goingBackFromAnImageThatNeverBecameReady() {
    createRunning();
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    setImage(B);
    eventually(() -> assertThat(node().getStatus().currentImage()).isEqualTo(B));

    setImage(A);

    awaitUpToDate(A);
    assertThat(images()).containsExactly(A, B, A);
  }

  @Test
  void badImageIsNeverRecordedAndGoingBackRecovers() {
    createRunning();
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    try (var versions = new NodeVersions(client, namespace)) {
      setImage(B);
      awaitStalled(StallReason.IMAGE_PULL);
      assertThat(condition(NodeConditionType.STALLED).message()).contains(B);
      assertThat(node().getStatus().currentImage()).isEqualTo(A);

      setImage(A);

      awaitUpToDate(A);
      assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
      assertThat(versions.seen(SeiNodeStatus::currentImage)).containsExactly(A);
    }
    assertThat(images()).containsExactly(A, B, A);
    eventually(() -> assertThat(occurrences("Recovered")).isEqualTo(1));
  }

  @Test
  void goingBackBeforeTheOldPodIsGoneEndsOnTheOldImage() {
    createRunning();
    kubelet.inject(namespace, POD, PodFault.HANGING_TERMINATION);
    setImage(B);
    eventually(() -> assertThat(podDeletes()).isEqualTo(1));

    setImage(A);
    eventually(() -> assertThat(occurrences("PlanSuperseded")).isEqualTo(1));
    kubelet.clearAll();

    awaitUpToDate(A);
    assertThat(images()).containsExactly(A, A);
  }
}
