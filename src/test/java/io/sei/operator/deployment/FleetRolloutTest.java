package io.sei.operator.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.DeploymentConditionType;
import io.sei.operator.api.v1alpha1.DeploymentReason;
import org.junit.jupiter.api.Test;

class FleetRolloutTest extends FleetTestCase {

  @Test
  void rollsEveryNodeOnceToANewImage() {
    createReady(3);

    setImage(B);

    awaitUpToDate(3, B);
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      assertThat(pods(ordinal)).hasSize(2);
    }
    assertThat(status().rollout()).isNull();
    assertThat(status().plan()).isNull();
    assertCondition(
        DeploymentConditionType.ROLLOUT_IN_PROGRESS,
        ConditionStatus.FALSE,
        DeploymentReason.ROLLOUT_COMPLETE);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    eventually(() -> assertThat(events(FLEET, "RolloutComplete")).hasSize(1));
  }
}
