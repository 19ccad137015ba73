package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SidecarTest extends RolloutTestCase {

  @Test
  void restartedSidecarIsMarkedReadyAndThePodLives() {
    createRunning();
    String pod = podUid();
    int runs = markReadyRuns();
    try (var versions = new NodeVersions(client, namespace)) {
      sidecar.restart(namespace, NODE);

      eventually(() -> assertThat(markReadyRuns()).isEqualTo(runs + 1));
      awaitUpToDate(A);
      assertThat(versions.seen(SeiNodeStatus::plan).stream().map(TaskPlan::kind).distinct())
          .containsExactly(PlanKind.MARK_READY);
    }
    eventually(() -> assertCondition(NodeConditionType.SIDECAR_READY, ConditionStatus.TRUE));
    assertThat(podUid()).isEqualTo(pod);
    assertThat(podDeletes()).isZero();
    assertThat(markReadyRuns()).isEqualTo(runs + 1);
  }

  @Test
  void taskIsExecutedOnceAcrossARestartOfTheOperator() {
    createRunning();
    int runs = markReadyRuns();
    sidecarFaults().hold(MARK_READY);
    setImage(B);
    eventually(() -> assertThat(markReadyRuns()).isEqualTo(runs + 1));

    operator.restart();
    stays(() -> assertThat(markReadyRuns()).isEqualTo(runs + 1));
    sidecarFaults().release(MARK_READY);

    awaitUpToDate(B);
    assertThat(markReadyRuns()).isEqualTo(runs + 1);
    assertThat(images()).containsExactly(A, B);
  }

  @ParameterizedTest
  @ValueSource(strings = {"forbidden", "token"})
  void refusedTokenStallsAtTheDeadlineAndRecovers(String how) {
    createRunning(2);
    if (how.equals("token")) {
      sidecarFaults().requireToken("another");
    } else {
      sidecarFaults().forbidden();
    }

    setImage(B);
    eventually(
        () ->
            assertThat(plan().currentTask().orElseThrow().reason())
                .isEqualTo(StallReason.SIDECAR_FORBIDDEN.toString()));
    awaitStalled(StallReason.SIDECAR_FORBIDDEN);
    assertThat(plan().currentTask().orElseThrow().retries()).isZero();
    sidecarFaults().clear();

    // Nothing announces that a token is accepted again, and it is tried every 30 seconds only.
    annotate("sei.io/explain", "now");
    awaitUpToDate(B);
    eventually(() -> assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE));
    assertThat(images()).containsExactly(A, B);
  }

  @Test
  void silentSidecarStallsAtTheDeadlineAndRecovers() {
    createRunning(2);
    sidecarFaults().down();

    setImage(B);
    // The old pod's sidecar is as silent, while it is there.
    awaitStep(MARK_READY);
    awaitStalled(StallReason.SIDECAR_UNREACHABLE);
    assertThat(step()).isEqualTo(MARK_READY);
    sidecarFaults().clear();

    awaitUpToDate(B);
    eventually(() -> assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE));
    assertThat(images()).containsExactly(A, B);
  }
}
