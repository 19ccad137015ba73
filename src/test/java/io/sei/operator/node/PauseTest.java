package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PauseTest extends RolloutTestCase {

  private static final Duration LONGER_THAN_ANY_DEADLINE = Duration.ofHours(1);

  @Test
  void pausedNodeHasNoPodKeepsItsClaimAndItsPlanAndStartsWithTheLastImage() {
    createRunning();
    String claim = claimUid();

    pause(true);

    awaitPaused();
    assertThat(claimUid()).isEqualTo(claim);
    assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, "Paused");
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);

    setImage(B);
    setImage(C);
    pause(false);

    awaitUpToDate(C);
    assertThat(images()).containsExactly(A, C);
    assertThat(claimUid()).isEqualTo(claim);
    assertThat(podDeletes()).isZero();
    eventually(() -> assertThat(occurrences("Unpaused")).isEqualTo(1));
    assertThat(occurrences("Paused")).isEqualTo(1);
    assertPlanGoesOnWhereItWasPaused();
  }

  private void assertPlanGoesOnWhereItWasPaused() {
    sidecarFaults().hold(MARK_READY);
    setImage(B);
    awaitStep(MARK_READY);
    String plan = plan().id();

    pause(true);
    awaitPaused();
    assertThat(plan().id()).isEqualTo(plan);
    assertThat(step()).isEqualTo(MARK_READY);
    sidecarFaults().release(MARK_READY);
    try (var versions = new NodeVersions(client, namespace)) {
      pause(false);

      awaitUpToDate(B);
      assertThat(versions.seen(SeiNodeStatus::plan)).allMatch(seen -> seen.id().equals(plan));
    }
    assertThat(images()).containsExactly(A, C, B, B);
    assertThat(events("PlanSuperseded")).isEmpty();
  }

  /** Found by soak seed 11: the plan waited for a sidecar without a pod. */
  @Tag("long")
  @Test
  void configurationMayBeCorrectedInTheEditThatEndsAPause() {
    createRunning();
    patch("{'spec':{'overrides':{'no.such':'1'}}}");
    awaitStalled(StallReason.SIDECAR_TASK_FAILED);
    pause(true);
    eventually(() -> assertThat(pod()).isNull());

    patch("{'spec':{'paused':false,'overrides':null}}");

    awaitUpToDate(A);
  }

  @Tag("long")
  @Test
  void timeSpentPausedIsNoStall() {
    createRunning();
    pause(true);
    awaitPaused();
    operator.clock().jumpTo(LONGER_THAN_ANY_DEADLINE);
    stays(() -> assertThat(pod()).isNull());

    pause(false);

    awaitUpToDate(A);
    assertThat(events("Stalled")).isEmpty();
  }

  private void pause(boolean paused) {
    patch("{'spec':{'paused':%s}}".formatted(paused));
  }

  private void awaitPaused() {
    eventually(
        () -> {
          assertThat(pod()).isNull();
          assertThat(statefulSet().getSpec().getReplicas()).isZero();
          assertCondition(NodeConditionType.PAUSED, ConditionStatus.TRUE);
          assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, "Paused");
          assertThat(node().getStatus().reason()).isEqualTo("Paused");
        });
  }

  private String claimUid() {
    return client
        .persistentVolumeClaims()
        .inNamespace(namespace)
        .withName("data-" + NODE)
        .get()
        .getMetadata()
        .getUid();
  }
}
