package io.sei.operator.node.status;

import static io.sei.operator.node.Snapshots.FEATURES;
import static io.sei.operator.node.Snapshots.held;
import static io.sei.operator.node.Snapshots.heldPod;
import static io.sei.operator.node.Snapshots.node;
import static io.sei.operator.node.Snapshots.plan;
import static io.sei.operator.node.Snapshots.pod;
import static io.sei.operator.node.Snapshots.ready;
import static io.sei.operator.node.Snapshots.running;
import static io.sei.operator.node.Snapshots.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.model.NodePass;
import io.sei.operator.node.model.ProgressDeadline;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NodeConditionsTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";
  private static final Optional<Pod> READY_POD = Optional.of(ready(pod(A)));
  private static final Optional<Pod> UNREADY_POD = Optional.of(pod(A));
  private static final TaskPlan UPDATE = plan(PlanKind.UPDATE, PlanPhase.ACTIVE, B, 1, "a", "b");

  @Test
  void everyGeneralConditionIsThereFromTheStart() {
    NodePass pass = derive(node(A), SeiNodeStatus.empty(), Optional.empty(), Optional.empty());

    assertThat(pass.draft().conditions())
        .extracting(Condition::type)
        .containsExactlyInAnyOrder(
            "Ready",
            "UpToDate",
            "NodeUpdateInProgress",
            "SidecarReady",
            "Paused",
            "RestartPending",
            "StatefulSetReady");
    assertThat(pass.draft().conditions())
        .extracting(Condition::observedGeneration)
        .containsOnly(7L);
  }

  @Test
  void settledNode() {
    NodePass pass = derive(node(A), running(A), READY_POD, Optional.empty());

    assertThat(says(pass, NodeConditionType.READY)).isEqualTo("True/PodReady");
    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("True/UpToDate");
    assertThat(says(pass, NodeConditionType.NODE_UPDATE_IN_PROGRESS)).isEqualTo("False/NotStarted");
    assertThat(says(pass, NodeConditionType.STATEFUL_SET_READY)).isEqualTo("True/Tracked");
    assertThat(says(pass, NodeConditionType.PAUSED)).isEqualTo("False/NotPaused");
  }

  @Test
  void readyPodIsReadyWhateverIsWrong() {
    var finding = Optional.of(new Finding(StallReason.IMAGE_PULL, "no image", "act", true));

    assertThat(says(derive(node(B), running(A), READY_POD, finding), NodeConditionType.READY))
        .isEqualTo("True/PodReady");
    assertThat(says(derive(node(B), running(A), UNREADY_POD, finding), NodeConditionType.READY))
        .isEqualTo("False/ImagePull");
  }

  @Test
  void pausedNodeSaysSo() {
    SeiNode paused = node(A);
    paused.setSpec(paused.getSpec().withPaused(true));

    NodePass pass = derive(paused, running(A), Optional.empty(), Optional.empty());

    assertThat(says(pass, NodeConditionType.READY)).isEqualTo("False/Paused");
    assertThat(says(pass, NodeConditionType.PAUSED)).isEqualTo("True/Paused");
  }

  @Test
  void pausedNodeIsPausingUntilItsPodIsGone() {
    SeiNode paused = node(A);
    paused.setSpec(paused.getSpec().withPaused(true));

    NodePass pass = derive(paused, running(A), READY_POD, Optional.empty());

    assertThat(says(pass, NodeConditionType.PAUSED)).isEqualTo("False/Pausing");
  }

  @Test
  void heldNodeSaysSoOnceItsPodIsTheOneInWhichSeidIsNotStarted() {
    var finding = Optional.of(new Finding(StallReason.CRASH_LOOP, "the exporter", "act", true));

    NodePass holding = derive(held(node(A)), running(A), READY_POD, Optional.empty());
    NodePass held = derive(held(node(A)), running(A), Optional.of(heldPod(A)), finding);
    NodePass released = derive(node(A), held.draft(), Optional.of(heldPod(A)), Optional.empty());

    assertThat(says(holding, NodeConditionType.HELD)).isEqualTo("False/Holding");
    assertThat(says(held, NodeConditionType.HELD)).isEqualTo("True/Held");
    assertThat(says(held, NodeConditionType.READY)).isEqualTo("False/Held");
    assertThat(Conditions.firstReason(held.draft().conditions())).isEqualTo("Held");
    assertThat(says(released, NodeConditionType.HELD)).isEqualTo("False/NotHeld");
  }

  @Test
  void workThatGoesOnIsReconciling() {
    Optional<Finding> none = Optional.empty();
    var noImage = Optional.of(new Finding(StallReason.IMAGE_PULL, "no image", "act", true));
    var halted = Optional.of(new Finding(StallReason.HALTED_AT_UPGRADE, "v2", "act", false));
    SeiNodeStatus updating = running(A).withPlan(UPDATE);
    SeiNode paused = node(A);
    paused.setSpec(paused.getSpec().withPaused(true));

    assertThat(reconciling(node(A), running(A), READY_POD, none)).isEqualTo("False/UpToDate");
    assertThat(reconciling(node(B), updating, READY_POD, none)).isEqualTo("True/PlanActive");
    assertThat(reconciling(node(A), running(A), UNREADY_POD, none)).isEqualTo("True/PodNotReady");
    assertThat(reconciling(node(A), running(A), UNREADY_POD, noImage)).isEqualTo("False/ImagePull");
    assertThat(reconciling(node(A), running(A), UNREADY_POD, halted))
        .isEqualTo("True/HaltedAtUpgrade");
    assertThat(reconciling(paused, running(A), READY_POD, none)).isEqualTo("True/Pausing");
    assertThat(reconciling(paused, running(A), Optional.empty(), none)).isEqualTo("False/Paused");
    assertThat(reconciling(held(node(A)), running(A), Optional.of(heldPod(A)), none))
        .isEqualTo("False/Held");
  }

  private static String reconciling(
      SeiNode node, SeiNodeStatus status, Optional<Pod> pod, Optional<Finding> finding) {
    var pass = new NodePass(snapshot(node, status, pod, null));
    NodeStatus.record(pass, FEATURES);
    NodeStatus.derive(pass, finding, new ProgressDeadline(Duration.ofMinutes(10)), FEATURES);
    return says(pass, NodeConditionType.RECONCILING);
  }

  @Test
  void podOfANewPlanIsNoMissingPod() {
    SeiNodeStatus before =
        derive(node(A), running(A), Optional.empty(), Optional.empty()).draft().withPlan(UPDATE);
    assertThat(before.conditions())
        .anyMatch(it -> it.type().equals("SidecarReady") && it.reason().equals("NoPod"));

    NodePass pass = derive(node(B), before, UNREADY_POD, Optional.empty());

    assertThat(says(pass, NodeConditionType.SIDECAR_READY)).isEqualTo("Unknown/NotProbed");
  }

  @Test
  void activePlanIsAnUpdateInProgress() {
    NodePass pass = derive(node(B), running(A).withPlan(UPDATE), READY_POD, Optional.empty());

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("False/PlanActive");
    assertThat(says(pass, NodeConditionType.NODE_UPDATE_IN_PROGRESS))
        .isEqualTo("True/UpdateStarted");
  }

  @Test
  void failedPlanSaysSo() {
    TaskPlan failed = UPDATE.withPhase(PlanPhase.FAILED);
    NodePass pass = derive(node(B), running(A).withPlan(failed), READY_POD, Optional.empty());

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("False/PlanFailed");
    assertThat(says(pass, NodeConditionType.NODE_UPDATE_IN_PROGRESS))
        .isEqualTo("False/UpdateFailed");
  }

  @Test
  void planThatJustCompletedIsNoFailure() {
    var pass = new NodePass(snapshot(node(B), running(A).withPlan(UPDATE), Optional.empty(), null));
    pass.update(status -> running(B).withPlan(UPDATE.withPhase(PlanPhase.COMPLETE)));

    NodeConditions.derive(pass, Optional.empty(), FEATURES);

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("True/UpToDate");
    assertThat(says(pass, NodeConditionType.NODE_UPDATE_IN_PROGRESS))
        .isEqualTo("False/UpdateComplete");
  }

  @Test
  void whatWaitsForAPlanIsOutdated() {
    NodePass pass = derive(node(B), running(A), READY_POD, Optional.empty());

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("False/Outdated");
  }

  /** A fleet admits the next node once this one is up to date. */
  @Test
  void nodeIsOutdatedFromTheMomentThatAnUpgradeIsRecorded() {
    var pass = new NodePass(snapshot(node(A), running(A), READY_POD, null));
    UpgradeStatus record =
        UpgradeStatus.scheduled(new Upgrade("v2", 100L, B, true))
            .with(it -> it.state(UpgradeState.APPLIED).supersededImage(A));
    pass.update(status -> status.withUpgrades(List.of(record)));

    NodeConditions.derive(pass, Optional.empty(), FEATURES);

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("False/Outdated");
  }

  @ParameterizedTest
  @EnumSource(SidecarHealth.class)
  void sidecarAnswers(SidecarHealth health) {
    var pass = new NodePass(snapshot(node(A), running(A), READY_POD, health));

    NodeConditions.derive(pass, Optional.empty(), FEATURES);

    assertThat(says(pass, NodeConditionType.SIDECAR_READY))
        .isEqualTo(
            switch (health) {
              case READY -> "True/Ready";
              case NOT_READY -> "False/NotReady";
              case UNREACHABLE -> "Unknown/Unreachable";
              case FORBIDDEN -> "Unknown/Forbidden";
              case UNKNOWN -> "Unknown/NotProbed";
            });
  }

  @Test
  void sidecarThatAPlanTakesThroughARestartIsNoNews() {
    SeiNodeStatus before =
        derive(node(A), running(A), READY_POD, Optional.empty()).draft().withPlan(UPDATE);
    var pass = new NodePass(snapshot(node(B), before, READY_POD, SidecarHealth.NOT_READY));

    NodeConditions.derive(pass, Optional.empty(), FEATURES);

    assertThat(says(pass, NodeConditionType.SIDECAR_READY)).isEqualTo("Unknown/NotProbed");
  }

  private static NodePass derive(
      SeiNode node, SeiNodeStatus status, Optional<Pod> pod, Optional<Finding> finding) {
    var pass = new NodePass(snapshot(node, status, pod, null));
    FEATURES.forEach(it -> it.report(pass, finding));
    NodeConditions.derive(pass, finding, FEATURES);
    return pass;
  }

  private static String says(NodePass pass, NodeConditionType type) {
    Condition condition = Conditions.find(pass.draft().conditions(), type).orElseThrow();
    return condition.status() + "/" + condition.reason();
  }
}
