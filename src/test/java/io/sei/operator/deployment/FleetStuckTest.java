package io.sei.operator.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.DeploymentConditionType;
import io.sei.operator.api.v1alpha1.DeploymentPhase;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A rollout whose nodes do not converge because nobody acts on StatefulSets looks stuck, not
 * paused.
 */
class FleetStuckTest extends FleetTestCase {

  private static final String NAMESPACE = "stuck";

  private static ControlPlane own;

  @BeforeAll
  static void startControlPlane() {
    own = ControlPlane.start();
    own.client()
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .create();
  }

  @AfterAll
  static void stopControlPlane() {
    own.close();
  }

  /** The controller manager all tests share is not to be stopped. */
  @BeforeEach
  void moveToOwnControlPlane() {
    operator.close();
    kubelet.close();
    sidecar.close();
    client.close();
    prepare(own, NAMESPACE);
  }

  @Test
  void aStuckRolloutStaysStuckAndCompletesByItselfOnceItCan() {
    createReady(3);
    own.stopControllerManager();
    setImage(B);
    eventually(
        () -> {
          assertThat(specImages()).containsExactly(A, A, B);
          assertThat(status().plan()).isNotNull();
        });
    final Instant startedAt = status().rollout().startedAt();
    eventually(() -> assertStuck(startedAt));

    holdsFor(Duration.ofSeconds(10), () -> assertStuck(startedAt));
    operator.restart();
    holdsFor(Duration.ofSeconds(5), () -> assertStuck(startedAt));

    try (var watch = new FleetWatch(client, namespace)) {
      own.startControllerManager();

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
    assertThat(status().phase()).isEqualTo(DeploymentPhase.UPGRADING);
    assertThat(status().rollout().startedAt()).isEqualTo(startedAt);
    assertThat(status().plan().phase()).isEqualTo(PlanPhase.ACTIVE);
    assertCondition(DeploymentConditionType.ROLLOUT_IN_PROGRESS, ConditionStatus.TRUE);
    assertCondition(DeploymentConditionType.PLAN_IN_PROGRESS, ConditionStatus.TRUE);
    assertCondition(DeploymentConditionType.PAUSED, ConditionStatus.FALSE);
    assertThat(status().readyReplicas()).isEqualTo(status().replicas()).isEqualTo(3);
    assertCondition(DeploymentConditionType.NODES_READY, ConditionStatus.TRUE);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    assertThat(events(FLEET, "RolloutComplete")).isEmpty();
    assertThat(specImages()).containsExactly(A, A, B);
    assertThat(currentImages()).containsExactly(A, A, A);
  }
}
