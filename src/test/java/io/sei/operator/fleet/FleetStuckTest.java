package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A rollout whose nodes do not converge, because no controller acts on StatefulSets, looks stuck,
 * not paused.
 */
@ExclusiveControlPlane
class FleetStuckTest extends FleetTestCase {

  @Tag("long")
  @Test
  void aStuckRolloutStaysStuckAndCompletesByItselfOnceItCan() {
    createReady(3);
    controlPlane.stopControllerManager();
    setImage(B);
    eventually(
        () -> {
          assertThat(specImages()).containsExactly(A, A, B);
          assertThat(status().plan()).isNotNull();
        });
    final Instant startedAt = status().rollout().startedAt();
    eventually(() -> assertStuck(startedAt));

    stays(() -> assertStuck(startedAt));
    operator.restart();
    stays(() -> assertStuck(startedAt));

    try (var watch = new FleetWatch(client, namespace)) {
      controlPlane.startControllerManager();

      awaitUpToDate(3, B);
      assertThat(watch.startedAt()).containsExactly(startedAt);
    }
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      assertThat(podImages(ordinal)).containsExactly(A, B);
    }
  }

  private void assertStuck(Instant startedAt) {
    assertThat(status().phase()).isEqualTo(FleetPhase.UPGRADING);
    assertThat(status().rollout().startedAt()).isEqualTo(startedAt);
    assertThat(status().plan().phase()).isEqualTo(PlanPhase.ACTIVE);
    assertCondition(FleetConditionType.ROLLOUT_IN_PROGRESS, ConditionStatus.TRUE);
    assertCondition(FleetConditionType.PLAN_IN_PROGRESS, ConditionStatus.TRUE);
    assertCondition(FleetConditionType.PAUSED, ConditionStatus.FALSE);
    assertThat(status().readyReplicas()).isEqualTo(status().replicas()).isEqualTo(3);
    assertCondition(FleetConditionType.NODES_READY, ConditionStatus.TRUE);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    assertThat(events(FLEET, "RolloutComplete")).isEmpty();
    assertThat(specImages()).containsExactly(A, A, B);
    assertThat(currentImages()).containsExactly(A, A, A);
  }
}
