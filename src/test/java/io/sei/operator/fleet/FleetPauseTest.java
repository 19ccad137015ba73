package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.testkit.PodFault;
import java.time.Instant;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Distinguishes the two meanings of pausing from a stuck rollout. */
@Order(1)
class FleetPauseTest extends FleetTestCase {

  private static final String HOLD_ROLLOUTS =
      "{'spec':{'updateStrategy':{'type':'InPlace','paused':%s}}}";
  private static final String PAUSE = "{'spec':{'paused':%s}}";

  @Test
  void whilePausedEveryNodeIsStoppedOnTheOldTemplateAndSoIsOneThatIsAdded() {
    createReady(2);

    patch("{'spec':{'paused':true,'template':{'spec':{'image':'%s'}}}}".formatted(B));

    eventually(this::assertPaused);
    stays(this::assertPaused);
    operator.restart();
    stays(this::assertPaused);
    // A node is not ready as soon as its pod begins to end.
    eventually(() -> assertThat(readAll(Pod.class)).isEmpty());
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

  @Tag("long")
  @Test
  void aRolloutGoesOnWhereItWasWhenRolloutsAreResumed() {
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    createReady(3);
    try (var watch = new FleetWatch(client, namespace)) {
      setImage(B);
      eventually(() -> assertThat(currentImages()).containsExactly(A, A, B));
      final Rollout frozen = status().rollout();

      patch(HOLD_ROLLOUTS.formatted(true));

      eventually(() -> assertFrozen(frozen));
      // Long enough for another start to have another time.
      stays(() -> assertFrozen(frozen));
      assertThat(Instant.now()).isAfter(frozen.startedAt().plusSeconds(1));
      kubelet.clearImage(B);

      patch(HOLD_ROLLOUTS.formatted(false));

      awaitUpToDate(3, B);
      assertThat(watch.startedAt()).containsExactly(frozen.startedAt());
    }
    assertThat(status().pausedRollout()).isNull();
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    assertThat(events(FLEET, "RolloutResumed")).hasSize(1);
    assertThat(podImages(2)).containsExactly(A, B);
    assertThat(podImages(0)).containsExactly(A, B);
  }

  private void assertFrozen(Rollout frozen) {
    assertThat(status().phase()).isEqualTo(FleetPhase.PAUSED);
    assertThat(status().rollout()).isNull();
    assertThat(status().plan()).isNull();
    assertThat(status().pausedRollout()).isEqualTo(frozen);
    assertThat(specImages()).containsExactly(A, A, B);
  }
}
