package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.testkit.PodFault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Down is down: a fleet of all kinds of nodes gets through, and never with a second node down. */
class MixedFleetTest extends FleetTestCase {

  @Tag("long")
  @Test
  void haltedBehindAndNewNodesGoFirstAndHealthyOnesWaitForThem() {
    createReady(4);
    inject(4, PodFault.NEVER_READY);
    patch("{'spec':{'replicas':5}}");
    eventually(() -> assertThat(currentImages()).containsExactly(A, A, A, A, A));
    kubelet.halt(namespace, pod(2), "v2", 12345);
    inject(3, PodFault.NEVER_READY);
    awaitReason(2, "HaltedAtUpgrade");
    awaitReason(3, "PodNotReady");

    setImage(B);

    eventually(() -> assertThat(currentImages()).containsExactly(A, A, B, B, B));
    stays(() -> assertThat(specImages()).containsExactly(A, A, B, B, B));

    kubelet.clear(namespace, pod(3));

    eventually(
        () -> {
          assertThat(currentImages()).containsExactly(B, B, B, B, B);
          assertThat(status().rollout()).isNull();
        });
    assertThat(ready(4).isTrue()).as("what has never been Ready still is not").isFalse();
    assertOneAfterTheOther(1, 0);
  }

  @Tag("long")
  @Test
  void waitsForANodeThatIsDownForACauseOfItsOwnAndSaysHowToGoOn() {
    createReady(3, FleetRollbackTest.ROLLBACK);
    inject(0, PodFault.CRASH_LOOP);
    awaitReason(0, "CrashLoop");

    setImage(B);

    eventually(
        () -> {
          assertThat(currentImages()).containsExactly(B, A, A);
          assertThat(condition(FleetConditionType.ROLLOUT_IN_PROGRESS).message())
              .startsWith("rolling out image " + B + "; waits for fleet-0, which is down (")
              .contains("CrashLoop", "crashes", "set spec.paused or spec.maintenance.hold");
        });
    stays(
        () -> {
          assertThat(specImages()).containsExactly(B, A, A);
          assertThat(status().failedTemplateHash()).isNull();
        });

    patch(node(0), "{'spec':{'paused':true}}");

    eventually(
        () -> {
          assertThat(specImages()).containsExactly(B, B, B);
          assertThat(status().rollout()).isNull();
        });
    assertOneAfterTheOther(2, 1);
  }

  private void inject(int ordinal, PodFault fault) {
    kubelet.inject(namespace, pod(ordinal), fault);
  }

  private static String pod(int ordinal) {
    return FLEET + "-" + ordinal + "-0";
  }

  private Condition ready(int ordinal) {
    return nodeCondition(ordinal, NodeConditionType.READY);
  }

  private void awaitReason(int ordinal, String reason) {
    eventually(() -> assertThat(ready(ordinal).reason()).isEqualTo(reason));
  }

  private void assertOneAfterTheOther(int first, int second) {
    assertThat(pods(second).get(0).deletionRequestedAt())
        .isAfterOrEqualTo(pods(first).get(1).createdAt());
  }
}
