package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.RequestLog;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Going back to an image that ran before re-uses its revision of the StatefulSet. */
class RollbackTest extends RolloutTestCase {

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
    // Until the controller has heard of A, the next pod may be one of B, and is replaced in turn.
    eventually(
        () -> assertThat(image(statefulSet().getSpec().getTemplate().getSpec())).isEqualTo(A));
    awaitControllerCaughtUp();
    kubelet.clearAll();

    awaitUpToDate(A);
    assertThat(images()).containsExactly(A, A);
  }

  /** A reader of the status would take the other pod for the requested one. */
  @Tag("long")
  @Test
  void aRecordOfAnEarlierPodDoesNotOutliveThePod() {
    createRunning();
    String record = node().getStatus().podSpecHash();
    operator.requests().refuse(request -> isStatusWrite(request) && images().contains(B));
    setImage(B);
    // Ready it is only after the operator has seen it and has had it marked ready.
    eventually(
        () -> {
          assertThat(runningImage()).isEqualTo(B);
          assertThat(PodFacts.isReady(pod())).isTrue();
        });
    assertThat(node().getStatus().podSpecHash()).isEqualTo(record);
    try (var versions = new NodeVersions(client, namespace)) {
      setImage(A);
      long generation = node().getMetadata().getGeneration();
      operator.requests().refuse(request -> false);
      awaitUpToDate(A);

      assertThat(
              versions.seen(
                  status ->
                      status.observedGeneration() == generation
                          ? Objects.toString(status.podSpecHash(), "none")
                          : "before"))
          .containsExactly("before", "none", record);
    }
    assertThat(images()).containsExactly(A, B, A);
  }

  private static boolean isStatusWrite(RequestLog.Request request) {
    return request.method().equals("PATCH")
        && request.path().endsWith("/seinodes/" + NODE + "/status");
  }
}
