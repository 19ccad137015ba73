package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.testkit.PodFault;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks the columns of {@code kubectl get snd} at every moment, and that they agree. */
class FleetColumnsTest extends FleetTestCase {

  @Test
  @Tag("long")
  void aFleetIsNeverDegradedOnItsWayUp() {
    kubelet.injectForImage(A, PodFault.NEVER_READY);
    try (var watch = new FleetWatch(client, namespace)) {
      create(fleetSpec(2, A));
      eventually(
          () -> {
            assertThat(status().nodes()).hasSize(2);
            assertThat(status().nodes()).allMatch(node -> node.phase() == NodePhase.RUNNING);
          });
      kubelet.clearAll();
      awaitUpToDate(2, A);

      patch("{'spec':{'replicas':3}}");
      awaitUpToDate(3, A);
      setImage(B);
      awaitUpToDate(3, B);

      assertThat(phases(watch.statuses()))
          .containsSequence(FleetPhase.INITIALIZING, FleetPhase.READY)
          .containsSequence(FleetPhase.UPGRADING, FleetPhase.READY)
          .doesNotContain(FleetPhase.DEGRADED, FleetPhase.FAILED);
      assertThat(watch.statuses()).allSatisfy(FleetColumnsTest::assertColumnsAgree);
      assertThat(watch.statuses())
          .filteredOn(status -> status.rollout() != null)
          .allSatisfy(status -> assertThat(status.plan().target().image()).isEqualTo(B));
    }
  }

  private static List<FleetPhase> phases(List<SeiNodeDeploymentStatus> statuses) {
    return statuses.stream().map(SeiNodeDeploymentStatus::phase).filter(Objects::nonNull).toList();
  }

  /** Asserts that the columns of a fleet agree. */
  static void assertColumnsAgree(SeiNodeDeploymentStatus status) {
    FleetPhase phase = status.phase();
    boolean allReady = isTrue(status, FleetConditionType.READY);
    boolean upToDate = isTrue(status, FleetConditionType.UP_TO_DATE);
    assertThat(phase == FleetPhase.UPGRADING).as("%s", status).isEqualTo(status.rollout() != null);
    if (allReady) {
      assertThat(status.readyReplicas()).as("%s", status).isEqualTo(status.replicas());
    }
    if (phase == FleetPhase.READY) {
      assertThat(allReady).as("%s", status).isTrue();
    }
    if (upToDate) {
      assertThat(status.updated()).isEqualTo("%1$d/%1$d".formatted(status.replicas()));
    }
    assertThat(status.reason().equals(FleetReason.ALL_NODES_READY.toString()))
        .as("%s", status)
        .isEqualTo(allReady && upToDate);
    assertThat(status.reason()).isIn(status.conditions().stream().map(Condition::reason).toList());
  }

  private static boolean isTrue(SeiNodeDeploymentStatus status, FleetConditionType type) {
    return Conditions.isTrue(status.conditions(), type);
  }
}
