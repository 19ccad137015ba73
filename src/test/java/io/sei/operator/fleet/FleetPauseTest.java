package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.testkit.PodFault;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The two meanings of pausing, each told apart from a rollout that is stuck. */
class FleetPauseTest extends FleetTestCase {

  private static final Duration HELD = Duration.ofSeconds(10);
  private static final String HOLD_ROLLOUTS =
      "{'spec':{'updateStrategy':{'type':'InPlace','paused':%s}}}";
  private static final String PAUSE = "{'spec':{'paused':%s}}";

  @Test
  @Tag("long")
  void whileRolloutsArePausedNodesRunOnTheOldTemplate() {
    createReady(2);
    patch(HOLD_ROLLOUTS.formatted(true));

    setImage(B);

    eventually(this::assertRolloutsPaused);
    stays(this::assertRolloutsPaused);
    operator.restart();
    stays(this::assertRolloutsPaused);

    patch(HOLD_ROLLOUTS.formatted(false));

    awaitUpToDate(2, B);
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    assertThat(podImages(0)).containsExactly(A, B);
  }

  private void assertRolloutsPaused() {
    assertHeld();
    assertThat(status().readyReplicas()).isEqualTo(2);
    assertCondition(FleetConditionType.NODES_READY, ConditionStatus.TRUE);
  }

  @Test
  void whilePausedEveryNodeIsStoppedOnTheOldTemplateAndSoIsOneThatIsAdded() {
    createReady(2);

    patch("{'spec':{'paused':true,'template':{'spec':{'image':'%s'}}}}".formatted(B));

    eventually(this::assertPaused);
    stays(this::assertPaused);
    operator.restart();
    stays(this::assertPaused);
    // A node is not ready as soon as its pod begins to end.
    eventually(() -> assertThat(client.pods().inNamespace(namespace).list().getItems()).isEmpty());
    patch("{'spec':{'replicas':3}}");
    eventually(() -> assertThat(node(2).getSpec().paused()).isTrue());

    patch(PAUSE.formatted(false));

    awaitUpToDate(3, B);
    assertThat(nodes()).noneMatch(node -> Boolean.TRUE.equals(node.getSpec().paused()));
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
  }

  private void assertPaused() {
    assertHeld();
    assertThat(status().readyReplicas()).isZero();
    assertCondition(FleetConditionType.NODES_READY, ConditionStatus.FALSE, FleetReason.PAUSED);
  }

  private void assertHeld() {
    assertThat(status().phase()).isEqualTo(FleetPhase.PAUSED);
    assertThat(status().rollout()).isNull();
    assertThat(status().plan()).isNull();
    assertCondition(
        FleetConditionType.ROLLOUT_IN_PROGRESS, ConditionStatus.FALSE, FleetReason.PAUSED);
    assertCondition(FleetConditionType.PLAN_IN_PROGRESS, ConditionStatus.FALSE, FleetReason.PAUSED);
    assertCondition(FleetConditionType.PAUSED, ConditionStatus.TRUE, FleetReason.PAUSED);
    assertThat(specImages()).containsExactly(A, A);
    assertThat(currentImages()).containsExactly(A, A);
    assertThat(events(FLEET, "RolloutStarted")).isEmpty();
  }

  @Test
  void aRolloutGoesOnWhereItWasWhenRolloutsAreResumed() {
    pausedDuringRolloutItGoesOn(HOLD_ROLLOUTS);
    assertThat(podImages(2)).containsExactly(A, B);
    assertThat(podImages(0)).containsExactly(A, B);
  }

  @Test
  @Tag("long")
  void aRolloutGoesOnWhereItWasWhenTheDeploymentIsResumed() {
    pausedDuringRolloutItGoesOn(PAUSE);
  }

  private void pausedDuringRolloutItGoesOn(String pausing) {
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    createReady(3);
    try (var watch = new FleetWatch(client, namespace)) {
      setImage(B);
      eventually(() -> assertThat(currentImages()).containsExactly(A, A, B));
      final Rollout frozen = status().rollout();

      patch(pausing.formatted(true));

      eventually(() -> assertFrozen(frozen));
      // Long enough for another start to have another time.
      stays(() -> assertFrozen(frozen));
      assertThat(Instant.now()).isAfter(frozen.startedAt().plusSeconds(1));
      kubelet.clearImage(B);

      patch(pausing.formatted(false));

      awaitUpToDate(3, B);
      assertThat(watch.startedAt()).containsExactly(frozen.startedAt());
    }
    assertThat(status().pausedRollout()).isNull();
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    assertThat(events(FLEET, "RolloutResumed")).hasSize(1);
  }

  private void assertFrozen(Rollout frozen) {
    assertThat(status().phase()).isEqualTo(FleetPhase.PAUSED);
    assertThat(status().rollout()).isNull();
    assertThat(status().plan()).isNull();
    assertThat(status().pausedRollout()).isEqualTo(frozen);
    assertThat(specImages()).containsExactly(A, A, B);
  }

  @Test
  @Tag("long")
  void aTemplateChangedWhileARolloutIsPausedBeginsAnother() {
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    createReady(3);
    try (var watch = new FleetWatch(client, namespace)) {
      setImage(B);
      eventually(() -> assertThat(currentImages()).containsExactly(A, A, B));
      patch(HOLD_ROLLOUTS.formatted(true));
      eventually(() -> assertThat(status().pausedRollout()).isNotNull());
      setImage(C);

      patch(HOLD_ROLLOUTS.formatted(false));

      awaitUpToDate(3, C);
      assertThat(status().pausedRollout()).isNull();
      assertThat(podImages(1)).containsExactly(A, C);
      // The node that the first rollout took down was healthy before, so it is waited for.
      assertThat(watch.mostUnready()).isEqualTo(1);
    }
  }

  @Test
  @Tag("long")
  void aRolloutUndoneWhilePausedLeavesNothingBehind() {
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    createReady(2);
    setImage(B);
    eventually(() -> assertThat(currentImages()).containsExactly(A, B));
    patch(HOLD_ROLLOUTS.formatted(true));
    eventually(() -> assertThat(status().pausedRollout()).isNotNull());

    setImage(A);
    patch(HOLD_ROLLOUTS.formatted(false));

    awaitUpToDate(2, A);
    assertThat(podImages(0)).containsExactly(A);
    assertThat(podImages(1)).containsExactly(A, B, A);
    eventually(() -> assertThat(status().pausedRollout()).isNull());
  }
}
