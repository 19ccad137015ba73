package io.sei.operator.node.status;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
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
import io.sei.operator.node.OfflineNode;
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
  private static final Optional<Pod> READY_POD = Optional.of(aPod(aNode(A)).ready().build());
  private static final Optional<Pod> UNREADY_POD = Optional.of(aPod(aNode(A)).build());
  private static final TaskPlan UPDATE = aPlan(PlanKind.UPDATE, B, "a", "b").complete(1).build();

  @Test
  void everyGeneralConditionIsThereFromTheStart() {
    NodePass pass =
        derive(aNode(A).build(), SeiNodeStatus.empty(), Optional.empty(), Optional.empty());

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
    NodePass pass =
        derive(aNode(A).build(), aNode(A).running().status(), READY_POD, Optional.empty());

    assertThat(says(pass, NodeConditionType.READY)).isEqualTo("True/PodReady");
    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("True/UpToDate");
    assertThat(says(pass, NodeConditionType.NODE_UPDATE_IN_PROGRESS)).isEqualTo("False/NotStarted");
    assertThat(says(pass, NodeConditionType.STATEFUL_SET_READY)).isEqualTo("True/Tracked");
    assertThat(says(pass, NodeConditionType.PAUSED)).isEqualTo("False/NotPaused");
  }

  @Test
  void readyPodIsReadyWhateverIsWrong() {
    var finding = Optional.of(new Finding(StallReason.IMAGE_PULL, "no image", "act", true));

    assertThat(
            says(
                derive(aNode(B).build(), aNode(A).running().status(), READY_POD, finding),
                NodeConditionType.READY))
        .isEqualTo("True/PodReady");
    assertThat(
            says(
                derive(aNode(B).build(), aNode(A).running().status(), UNREADY_POD, finding),
                NodeConditionType.READY))
        .isEqualTo("False/ImagePull");
  }

  @Test
  void pausedNodeSaysSo() {
    SeiNode paused = aNode(A).spec(spec -> spec.withPaused(true)).build();

    NodePass pass = derive(paused, aNode(A).running().status(), Optional.empty(), Optional.empty());

    assertThat(says(pass, NodeConditionType.READY)).isEqualTo("False/Paused");
    assertThat(says(pass, NodeConditionType.PAUSED)).isEqualTo("True/Paused");
  }

  @Test
  void pausedNodeIsPausingUntilItsPodIsGone() {
    SeiNode paused = aNode(A).spec(spec -> spec.withPaused(true)).build();

    NodePass pass = derive(paused, aNode(A).running().status(), READY_POD, Optional.empty());

    assertThat(says(pass, NodeConditionType.PAUSED)).isEqualTo("False/Pausing");
  }

  @Test
  void heldNodeSaysSoOnceItsPodIsTheOneInWhichSeidIsNotStarted() {
    var finding = Optional.of(new Finding(StallReason.CRASH_LOOP, "the exporter", "act", true));

    NodePass holding =
        derive(aNode(A).held().build(), aNode(A).running().status(), READY_POD, Optional.empty());
    NodePass held =
        derive(
            aNode(A).held().build(),
            aNode(A).running().status(),
            Optional.of(aPod(aNode(A).held()).build()),
            finding);
    NodePass released =
        derive(
            aNode(A).build(),
            held.draft(),
            Optional.of(aPod(aNode(A).held()).build()),
            Optional.empty());

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
    SeiNodeStatus updating = aNode(A).running().status().withPlan(UPDATE);
    SeiNode paused = aNode(A).spec(spec -> spec.withPaused(true)).build();

    assertThat(reconciling(aNode(A).build(), aNode(A).running().status(), READY_POD, none))
        .isEqualTo("False/UpToDate");
    assertThat(reconciling(aNode(B).build(), updating, READY_POD, none))
        .isEqualTo("True/PlanActive");
    assertThat(reconciling(aNode(A).build(), aNode(A).running().status(), UNREADY_POD, none))
        .isEqualTo("True/PodNotReady");
    assertThat(reconciling(aNode(A).build(), aNode(A).running().status(), UNREADY_POD, noImage))
        .isEqualTo("False/ImagePull");
    assertThat(reconciling(aNode(A).build(), aNode(A).running().status(), UNREADY_POD, halted))
        .isEqualTo("True/HaltedAtUpgrade");
    assertThat(reconciling(paused, aNode(A).running().status(), READY_POD, none))
        .isEqualTo("True/Pausing");
    assertThat(reconciling(paused, aNode(A).running().status(), Optional.empty(), none))
        .isEqualTo("False/Paused");
    assertThat(
            reconciling(
                aNode(A).held().build(),
                aNode(A).running().status(),
                Optional.of(aPod(aNode(A).held()).build()),
                none))
        .isEqualTo("False/Held");
  }

  private static String reconciling(
      SeiNode node, SeiNodeStatus status, Optional<Pod> pod, Optional<Finding> finding) {
    var pass = aNode(node).status(status).pod(pod).pass();
    NodeStatus.record(pass, OfflineNode.FEATURES);
    NodeStatus.derive(
        pass, finding, new ProgressDeadline(Duration.ofMinutes(10)), OfflineNode.FEATURES);
    return says(pass, NodeConditionType.RECONCILING);
  }

  @Test
  void podOfANewPlanIsNoMissingPod() {
    SeiNodeStatus before =
        derive(aNode(A).build(), aNode(A).running().status(), Optional.empty(), Optional.empty())
            .draft()
            .withPlan(UPDATE);
    assertThat(before.conditions())
        .anyMatch(it -> it.type().equals("SidecarReady") && it.reason().equals("NoPod"));

    NodePass pass = derive(aNode(B).build(), before, UNREADY_POD, Optional.empty());

    assertThat(says(pass, NodeConditionType.SIDECAR_READY)).isEqualTo("Unknown/NotProbed");
  }

  @Test
  void activePlanIsAnUpdateInProgress() {
    NodePass pass =
        derive(
            aNode(B).build(),
            aNode(A).running().status().withPlan(UPDATE),
            READY_POD,
            Optional.empty());

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("False/PlanActive");
    assertThat(says(pass, NodeConditionType.NODE_UPDATE_IN_PROGRESS))
        .isEqualTo("True/UpdateStarted");
  }

  @Test
  void failedPlanSaysSo() {
    TaskPlan failed = UPDATE.withPhase(PlanPhase.FAILED);
    NodePass pass =
        derive(
            aNode(B).build(),
            aNode(A).running().status().withPlan(failed),
            READY_POD,
            Optional.empty());

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("False/PlanFailed");
    assertThat(says(pass, NodeConditionType.NODE_UPDATE_IN_PROGRESS))
        .isEqualTo("False/UpdateFailed");
  }

  @Test
  void planThatJustCompletedIsNoFailure() {
    var pass = aNode(A).running().status(stored -> stored.withPlan(UPDATE)).image(B).pass();
    pass.update(
        status -> aNode(B).running().status().withPlan(UPDATE.withPhase(PlanPhase.COMPLETE)));

    NodeConditions.derive(pass, Optional.empty(), OfflineNode.FEATURES);

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("True/UpToDate");
    assertThat(says(pass, NodeConditionType.NODE_UPDATE_IN_PROGRESS))
        .isEqualTo("False/UpdateComplete");
  }

  @Test
  void whatWaitsForAPlanIsOutdated() {
    NodePass pass =
        derive(aNode(B).build(), aNode(A).running().status(), READY_POD, Optional.empty());

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("False/Outdated");
  }

  /** A fleet admits the next node once this one is up to date. */
  @Test
  void nodeIsOutdatedFromTheMomentThatAnUpgradeIsRecorded() {
    var pass = aNode(A).running().pod(READY_POD).pass();
    UpgradeStatus record =
        UpgradeStatus.scheduled(new Upgrade("v2", 100L, B, true))
            .with(it -> it.state(UpgradeState.APPLIED).supersededImage(A));
    pass.update(status -> status.withUpgrades(List.of(record)));

    NodeConditions.derive(pass, Optional.empty(), OfflineNode.FEATURES);

    assertThat(says(pass, NodeConditionType.UP_TO_DATE)).isEqualTo("False/Outdated");
  }

  @ParameterizedTest
  @EnumSource(SidecarHealth.class)
  void sidecarAnswers(SidecarHealth health) {
    var pass = aNode(A).running().pod(READY_POD).sidecar(health).pass();

    NodeConditions.derive(pass, Optional.empty(), OfflineNode.FEATURES);

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
        derive(aNode(A).build(), aNode(A).running().status(), READY_POD, Optional.empty())
            .draft()
            .withPlan(UPDATE);
    var pass = aNode(B).status(before).pod(READY_POD).sidecar(SidecarHealth.NOT_READY).pass();

    NodeConditions.derive(pass, Optional.empty(), OfflineNode.FEATURES);

    assertThat(says(pass, NodeConditionType.SIDECAR_READY)).isEqualTo("Unknown/NotProbed");
  }

  private static NodePass derive(
      SeiNode node, SeiNodeStatus status, Optional<Pod> pod, Optional<Finding> finding) {
    var pass = aNode(node).status(status).pod(pod).pass();
    OfflineNode.FEATURES.forEach(it -> it.report(pass, finding));
    NodeConditions.derive(pass, finding, OfflineNode.FEATURES);
    return pass;
  }

  private static String says(NodePass pass, NodeConditionType type) {
    Condition condition = Conditions.find(pass.draft().conditions(), type).orElseThrow();
    return condition.status() + "/" + condition.reason();
  }
}
