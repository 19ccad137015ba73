package io.sei.operator.node.status;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NodeConditionsTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";
  private static final NodeSample RUNS = aNode(A).running();
  private static final NodeSample READY = RUNS.withReadyPod();
  private static final NodeSample UNREADY = RUNS.withPod();
  private static final NodeSample PAUSING = READY.spec(spec -> spec.withPaused(true));
  private static final Optional<Finding> NONE = Optional.empty();
  private static final TaskPlan UPDATE = aPlan(PlanKind.UPDATE, B, "a", "b").complete(1).build();

  @Test
  void everyGeneralConditionIsThereFromTheStart() {
    NodePass pass = derive(aNode(A), NONE);

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
  void nodeWithAReadyPodOfItsSpecIsReadyAndUpToDate() {
    NodePass pass = derive(READY, NONE);

    assertThat(says(pass, NodeConditionType.READY)).isEqualTo("True/PodReady");
    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("True/UpToDate");
    assertThat(says(pass, NodeConditionType.NODE_UPDATE_IN_PROGRESS)).isEqualTo("False/NotStarted");
    assertThat(says(pass, NodeConditionType.STATEFUL_SET_READY)).isEqualTo("True/Tracked");
    assertThat(says(pass, NodeConditionType.PAUSED)).isEqualTo("False/NotPaused");
  }

  @Test
  void readyPodIsReadyWhateverIsWrong() {
    var finding = Optional.of(new Finding(StallReason.IMAGE_PULL, "no image", "act", true));

    assertThat(says(derive(READY.image(B), finding), NodeConditionType.READY))
        .isEqualTo("True/PodReady");
    assertThat(says(derive(UNREADY.image(B), finding), NodeConditionType.READY))
        .isEqualTo("False/ImagePull");
  }

  @Test
  void pausedNodeIsPausedAndNotReady() {
    NodePass pass = derive(RUNS.paused(), NONE);

    assertThat(says(pass, NodeConditionType.READY)).isEqualTo("False/Paused");
    assertThat(says(pass, NodeConditionType.PAUSED)).isEqualTo("True/Paused");
  }

  @Test
  void pausedNodeIsPausingUntilItsPodIsGone() {
    NodePass pass = derive(PAUSING, NONE);

    assertThat(says(pass, NodeConditionType.PAUSED)).isEqualTo("False/Pausing");
  }

  @Test
  void nodeIsHeldOnceItsPodIsTheOneInWhichSeidIsNotStarted() {
    var finding = Optional.of(new Finding(StallReason.CRASH_LOOP, "the exporter", "act", true));

    NodePass holding = derive(READY.held(), NONE);
    NodePass held = derive(RUNS.held().withPod(), finding);
    NodePass released = derive(RUNS.held().withPod().released().status(held.draft()), NONE);

    assertThat(says(holding, NodeConditionType.HELD)).isEqualTo("False/Holding");
    assertThat(says(held, NodeConditionType.HELD)).isEqualTo("True/Held");
    assertThat(says(held, NodeConditionType.READY)).isEqualTo("False/Held");
    assertThat(Conditions.firstReason(held.draft().conditions())).isEqualTo("Held");
    assertThat(says(released, NodeConditionType.HELD)).isEqualTo("False/NotHeld");
  }

  @Test
  void workThatGoesOnIsReconciling() {
    var noImage = Optional.of(new Finding(StallReason.IMAGE_PULL, "no image", "act", true));
    var halted = Optional.of(new Finding(StallReason.HALTED_AT_UPGRADE, "v2", "act", false));
    assertThat(reconciling(READY, NONE)).isEqualTo("False/UpToDate");
    assertThat(reconciling(READY.plan(UPDATE).image(B), NONE)).isEqualTo("True/PlanActive");
    assertThat(reconciling(UNREADY, NONE)).isEqualTo("True/PodNotReady");
    assertThat(reconciling(UNREADY, noImage)).isEqualTo("False/ImagePull");
    assertThat(reconciling(UNREADY, halted)).isEqualTo("True/HaltedAtUpgrade");
    assertThat(reconciling(PAUSING, NONE)).isEqualTo("True/Pausing");
    assertThat(reconciling(RUNS.paused(), NONE)).isEqualTo("False/Paused");
    assertThat(reconciling(RUNS.held().withPod(), NONE)).isEqualTo("False/Held");
  }

  private static String reconciling(NodeSample node, Optional<Finding> finding) {
    NodePass pass = node.pass();
    NodeStatus.record(pass, OfflineNode.CONDITIONS);
    NodeStatus.derive(
        pass, finding, new ProgressDeadline(Duration.ofMinutes(10)), OfflineNode.CONDITIONS);
    return says(pass, NodeConditionType.RECONCILING);
  }

  @Test
  void podOfANewPlanIsNoMissingPod() {
    SeiNodeStatus before = derive(RUNS, NONE).draft().withPlan(UPDATE);
    assertThat(before.conditions())
        .anyMatch(
            condition ->
                condition.type().equals("SidecarReady") && condition.reason().equals("NoPod"));

    NodePass pass = derive(UNREADY.image(B).status(before), NONE);

    assertThat(says(pass, NodeConditionType.SIDECAR_READY)).isEqualTo("Unknown/NotProbed");
  }

  @Test
  void activePlanIsAnUpdateInProgress() {
    NodePass pass = derive(READY.plan(UPDATE).image(B), NONE);

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("False/PlanActive");
    assertThat(says(pass, NodeConditionType.NODE_UPDATE_IN_PROGRESS))
        .isEqualTo("True/UpdateStarted");
  }

  @Test
  void failedPlanIsAFailedUpdate() {
    TaskPlan failed = UPDATE.withPhase(PlanPhase.FAILED);
    NodePass pass = derive(READY.plan(failed).image(B), NONE);

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("False/PlanFailed");
    assertThat(says(pass, NodeConditionType.NODE_UPDATE_IN_PROGRESS))
        .isEqualTo("False/UpdateFailed");
  }

  @Test
  void planThatJustCompletedIsNoFailure() {
    NodePass pass = RUNS.plan(UPDATE).image(B).pass();
    pass.update(
        status -> aNode(B).running().status().withPlan(UPDATE.withPhase(PlanPhase.COMPLETE)));

    NodeConditions.derive(pass, NONE);

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("True/UpToDate");
    assertThat(says(pass, NodeConditionType.NODE_UPDATE_IN_PROGRESS))
        .isEqualTo("False/UpdateComplete");
  }

  @Test
  void editedNodeWithoutAPlanIsOutdated() {
    NodePass pass = derive(READY.image(B), NONE);

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("False/Outdated");
  }

  /** A fleet admits the next node once this one is up to date. */
  @Test
  void nodeIsOutdatedFromTheMomentThatAnUpgradeIsRecorded() {
    NodePass pass = READY.pass();
    UpgradeStatus record =
        UpgradeStatus.scheduled(new Upgrade("v2", 100L, B, true))
            .with(builder -> builder.state(UpgradeState.APPLIED).supersededImage(A));
    pass.update(status -> status.withUpgrades(List.of(record)));

    NodeConditions.derive(pass, NONE);

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("False/Outdated");
  }

  @ParameterizedTest
  @EnumSource(SidecarHealth.class)
  void conditionOfTheSidecarFollowsItsLastAnswer(SidecarHealth health) {
    NodePass pass = READY.sidecar(health).pass();

    NodeConditions.derive(pass, NONE);

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
    SeiNodeStatus before = derive(READY, NONE).draft().withPlan(UPDATE);
    NodePass pass = READY.image(B).status(before).sidecar(SidecarHealth.NOT_READY).pass();

    NodeConditions.derive(pass, NONE);

    assertThat(says(pass, NodeConditionType.SIDECAR_READY)).isEqualTo("Unknown/NotProbed");
  }

  private static NodePass derive(NodeSample node, Optional<Finding> finding) {
    NodePass pass = node.pass();
    pass.diagnosed(finding);
    OfflineNode.CONDITIONS.report(pass);
    NodeConditions.derive(pass, finding);
    return pass;
  }

  private static String says(NodePass pass, NodeConditionType type) {
    Condition condition = Conditions.find(pass.draft().conditions(), type).orElseThrow();
    return condition.status() + "/" + condition.reason();
  }
}
