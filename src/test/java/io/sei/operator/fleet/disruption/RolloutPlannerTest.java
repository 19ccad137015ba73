package io.sei.operator.fleet.disruption;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.B;
import static io.sei.operator.testkit.samples.FleetSample.C;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static io.sei.operator.testkit.samples.FleetSample.hash;
import static io.sei.operator.testkit.samples.RolloutSample.partition;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Phase;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Run;
import io.sei.operator.api.v1alpha1.FleetSnapshotsRunBuilder;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.fleet.RolloutPlannerTestCase;
import io.sei.operator.fleet.feature.RolloutDecision;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decides when a rollout begins, continues, turns back, or rests. */
class RolloutPlannerTest extends RolloutPlannerTestCase {

  private static final UpdateStrategy ROLLBACK =
      strategy(new InPlace(null, null, null, 2, OnStall.ROLLBACK));

  @Test
  void restsWhenEveryNodeIsOnTheTemplate() {
    assertThat(decide(fleet(A, A, A))).isInstanceOf(RolloutDecision.Rest.class);
    Rollout ofConfiguration = Rollout.ofConfiguration("digest", hash(A), NodeSample.LONG_AGO);
    assertThat(decide(fleet(A, A, A).status(status -> status.withRollout(ofConfiguration))))
        .isInstanceOf(RolloutDecision.Rest.class);
  }

  @Test
  void beginsWhenTheTemplateIsAnother() {
    SeiNodeDeploymentStatus status = persisted(fleet(B, A, A));

    assertThat(status.rollout().targetHash()).isEqualTo(hash(B));
    assertThat(status.rollout().startedAt()).isEqualTo(NodeSample.NOW);
    assertThat(status.rollout().nodes())
        .containsExactly(
            new RolloutNode("fleet-0", null, true), new RolloutNode("fleet-1", null, true));
    assertThat(status.plan().tasks())
        .extracting("type")
        .containsExactly("update-node-specs", "await-spec-update");
    assertThat(status.completedTemplateHash()).isEqualTo(hash(A));
  }

  @Test
  void remembersWhichNodesWereAvailable() {
    var fleet = aFleet(2, B).child(0, A).child(1, A, node -> node.unready("CrashLoop"));

    assertThat(persisted(settledOn(fleet, A)).rollout().nodes())
        .extracting(RolloutNode::wasAvailable)
        .containsExactly(true, false);
  }

  @Test
  void nodeThatIsDownForASnapshotWasAvailable() {
    Run run = FleetSnapshotsRunBuilder.builder().node("fleet-1").phase(Phase.STARTING).build();
    var fleet =
        aFleet(2, B)
            .child(0, A)
            .child(1, A, node -> node.unready("StoppedForSnapshot"))
            .status(status -> status.withSnapshots(FleetSnapshots.empty().withActive(run)));

    assertThat(persisted(settledOn(fleet, A)).rollout().nodes())
        .extracting(RolloutNode::wasAvailable)
        .containsExactly(true, true);
  }

  @Test
  void nothingIsDueBelowThePartitionOrForPausedOrTerminatingNodes() {
    Stream.of(
            fleet(B, A, A).spec(spec -> spec.withUpdateStrategy(partition(2))),
            settledOn(aFleet(1, B).child(0, A, NodeSample::paused), A),
            settledOn(aFleet(1, B).child(0, A, NodeSample::terminating), A),
            settledOn(aFleet(1, B).child(0, B).child(1, A), B))
        .forEach(fleet -> assertThat(decide(fleet)).isInstanceOf(RolloutDecision.Rest.class));
  }

  @Test
  void admissionIsPersistedBeforeAnythingIsDone() {
    SeiNodeDeploymentStatus begun = persisted(fleet(B, A, A));

    SeiNodeDeploymentStatus admitted = persisted(fleet(B, A, A).status(status -> begun));

    assertThat(admitted.rollout().nodes())
        .containsExactly(
            new RolloutNode("fleet-0", null, true),
            new RolloutNode("fleet-1", NodeSample.NOW, true));
    assertThat(admitted.plan()).isEqualTo(begun.plan());
    assertThat(decide(fleet(B, A, A).status(status -> admitted)))
        .isInstanceOf(RolloutDecision.Continue.class);
  }

  @Test
  void aNodeThatIsScaledAwayLosesItsAdmission() {
    SeiNodeDeploymentStatus status =
        persisted(aFleet(1, A).ready().image(B).status(image -> rolling(B)));

    assertThat(status.rollout().nodes()).extracting(RolloutNode::name).containsExactly("fleet-0");
  }

  @Test
  void podsOfNodesThatMayGoBeyondTheLimitAreReadLive() {
    var fleet =
        aFleet(6, B)
            .child(0, A, node -> node.unready("PodNotReady"))
            .child(1, A)
            .child(2, A, node -> node.unready("PodNotReady").paused())
            .child(3, A, node -> node.unready("PodNotReady").terminating())
            .child(4, B, node -> node.unready("PodNotReady"))
            .child(6, A, node -> node.unready("PodNotReady"));

    assertThat(fleet.view().inDoubt()).as("no rollout takes any").isEmpty();
    assertThat(fleet.status(status -> rolling(B)).view().inDoubt())
        .extracting(node -> node.getMetadata().getName())
        .containsExactly("fleet-0");
    assertThat(fleet.spec(spec -> spec.withUpdateStrategy(partition(1))).view().inDoubt())
        .isEmpty();
  }

  @Test
  void nodeWhosePodIsReadyLiveWaitsForItsAdmission() {
    var fleet = newlyBegun().readyLive(0).readyLive(1);

    SeiNodeDeploymentStatus available = persisted(fleet);
    SeiNodeDeploymentStatus admitted = persisted(fleet.status(status -> available));

    assertThat(admitted.rollout().nodes())
        .containsExactly(
            new RolloutNode("fleet-0", null, true),
            new RolloutNode("fleet-1", NodeSample.NOW, true));
    assertThat(decide(fleet.status(status -> admitted)))
        .isInstanceOf(RolloutDecision.Continue.class);
  }

  @Test
  void nodesWhosePodsAreNotReadyRollInOneWave() {
    SeiNodeDeploymentStatus admitted = persisted(newlyBegun());

    assertThat(admitted.rollout().nodes())
        .extracting(RolloutNode::admittedAt)
        .containsOnly(NodeSample.NOW);
  }

  /** A rollout of two nodes that have not been Ready for all that their status says. */
  private FleetSample newlyBegun() {
    var fleet =
        settledOn(
            aFleet(2, B)
                .child(0, A, node -> node.unready("NoPod"))
                .child(1, A, node -> node.unready("NoPod")),
            A);
    SeiNodeDeploymentStatus begun = persisted(fleet);
    return fleet.status(status -> begun);
  }

  @Test
  void aPlanThatIsNotOursIsMadeAgainAndTheRolloutKeepsItsStart() {
    SeiNodeDeploymentStatus rolling = rolling(B);
    List<PlannedTask> unknown =
        rolling.plan().tasks().stream().map(task -> task.withType("unknown")).toList();
    for (TaskPlan plan :
        new TaskPlan[] {null, rolling.plan().withTarget(null), rolling.plan().withTasks(unknown)}) {
      SeiNodeDeploymentStatus status =
          persisted(fleet(B, A, A).status(fleet -> rolling.withPlan(plan)));

      assertThat(status.plan().isActive()).isTrue();
      assertThat(status.rollout()).isEqualTo(rolling.rollout());
    }
  }

  @Test
  void aPlanThatBelongsToNoRolloutIsDropped() {
    SeiNodeDeploymentStatus left = rolling(B).withRollout(null);

    assertThat(persisted(fleet(A, A, A).status(status -> left)).plan()).isNull();
  }

  @Test
  void rollsBackWhatStallsAndDoesNotTryItAgain() {
    var stalling =
        aFleet(2, B)
            .child(0, A)
            .child(1, B, node -> node.stalled("ImagePull"))
            .kept(A)
            .spec(spec -> spec.withUpdateStrategy(ROLLBACK))
            .status(status -> rolling(B));
    SeiNodeDeploymentStatus back = persisted(recorded(stalling));

    assertThat(back.failedTemplateHash()).isEqualTo(hash(B));
    assertThat(back.rollout().targetHash()).isEqualTo(hash(A));
    assertThat(back.plan().target().image()).isEqualTo(A);
    SeiNodeDeploymentStatus over = back.with(builder -> builder.rollout(null).plan(null));
    assertThat(decide(fleet(B, A, A).status(status -> over)))
        .isInstanceOf(RolloutDecision.Rest.class);
    assertThat(persisted(fleet(C, A, A).status(status -> over)).failedTemplateHash()).isNull();
  }

  @Test
  void templateThatWasRolledBackIsTriedAgainAfterTheSpecWentBackToo() {
    SeiNodeDeploymentStatus forgotten =
        persisted(
            fleet(A, A, A)
                .kept(A)
                .kept(B)
                .status(status -> status.withFailedTemplateHash(hash(B))));
    assertThat(forgotten.failedTemplateHash()).isNull();

    SeiNodeDeploymentStatus again =
        persisted(fleet(B, A, A).kept(A).kept(B).status(status -> forgotten));
    assertThat(again.rollout().targetHash()).isEqualTo(hash(B));
  }

  /** The template's own content did not change, so it is not tried again. */
  @Test
  void restartsWhatWasRestoredAndNotWhatFailed() {
    var over = rolledBack().annotation(Annotations.RESTART_REQUESTED_AT, "now");

    SeiNodeDeploymentStatus restarting = persisted(over);

    assertThat(restarting.failedTemplateHash()).isEqualTo(hash(B));
    assertThat(restarting.rollout().targetHash()).isEqualTo(restartedHash(A));
    assertThat(restarting.plan().target().image()).isEqualTo(A);
  }

  @Test
  void aRestartThatIsNoLongerAskedForRestartsNothingOfWhatWasRestored() {
    assertThat(decide(rolledBack())).isInstanceOf(RolloutDecision.Rest.class);
    assertThat(decide(rolledBack().annotation(Annotations.RESTART_REQUESTED_AT, " ")))
        .isInstanceOf(RolloutDecision.Rest.class);
  }

  @Test
  void aRestartThatFailedIsTriedAgainWhenItIsAskedForAgain() {
    var failed =
        fleet(A, A, A)
            .kept(A)
            .keptRestarted(A, "now")
            .status(status -> status.withFailedTemplateHash(restartedHash(A)));

    assertThat(decide(failed.annotation(Annotations.RESTART_REQUESTED_AT, "now")))
        .isInstanceOf(RolloutDecision.Rest.class);
    SeiNodeDeploymentStatus again =
        persisted(failed.annotation(Annotations.RESTART_REQUESTED_AT, "later"));
    assertThat(again.failedTemplateHash()).isNull();
  }

  private static FleetSample rolledBack() {
    return fleet(B, A, A).kept(A).kept(B).status(status -> status.withFailedTemplateHash(hash(B)));
  }

  private static String restartedHash(String image) {
    return FleetSample.hash(FleetSample.restarted(image, "now"));
  }

  @Test
  void doesNotRollBackToATemplateThatIsNotKept() {
    var stalling =
        aFleet(2, B)
            .child(0, A)
            .child(1, B, node -> node.stalled("ImagePull"))
            .spec(spec -> spec.withUpdateStrategy(ROLLBACK))
            .status(status -> rolling(B));

    assertThat(decide(recorded(stalling))).isInstanceOf(RolloutDecision.Continue.class);
  }

  @Test
  void nodeThatStallsWhileRolloutsArePausedIsRecorded() {
    var stalling =
        aFleet(2, B)
            .child(0, A)
            .child(1, B, node -> node.stalled("ImagePull"))
            .spec(
                spec ->
                    spec.withUpdateStrategy(
                        new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, null, true)))
            .status(
                status ->
                    rolling(B)
                        .with(
                            builder ->
                                builder
                                    .pausedRollout(rolling(B).rollout())
                                    .rollout(null)
                                    .plan(null)));

    assertThat(persisted(stalling).pausedRollout().node("fleet-1").orElseThrow().stalledOn())
        .isEqualTo("ImagePull");
  }

  /** The fleet once its second node is recorded as stalled. */
  private FleetSample recorded(FleetSample stalling) {
    SeiNodeDeploymentStatus stalled = persisted(stalling);
    assertThat(stalled.rollout().node("fleet-1").orElseThrow().stalledOn()).isEqualTo("ImagePull");
    return stalling.status(status -> stalled);
  }

  @Test
  void theHashOfAnotherOperatorIsReplacedByThatOfTheNodesThereAre() {
    var fleet = aFleet(1, A).ready().image(B);

    SeiNodeDeploymentStatus status =
        persisted(
            fleet.status(
                seiNodeDeploymentStatus ->
                    seiNodeDeploymentStatus.withCompletedTemplateHash("0123456789abcdef")));

    assertThat(status.completedTemplateHash()).isEqualTo(hash(A));
    assertThat(status.rollout()).isNull();
  }

  @Test
  void theHashOfAnotherOperatorGivesWayToTheTemplateWhereNodesDiffer() {
    var fleet = aFleet(2, C).child(0, A).child(1, B);

    assertThat(
            persisted(fleet.status(status -> status.withCompletedTemplateHash("0123456789abcdef")))
                .completedTemplateHash())
        .isEqualTo(hash(C));
  }

  @Test
  void aFleetThatGotThereByItselfIsSettled() {
    var fleet = aFleet(1, B).ready();

    assertThat(persisted(settledOn(fleet, A)).completedTemplateHash()).isEqualTo(hash(B));
  }

  @Test
  void unknownAdmissionsAreWithdrawnBeforeANodeIsTouched() {
    Rollout all = rolling(B).rollout();
    Rollout forged =
        all.withNodes(
            all.nodes().stream()
                .map(node -> new RolloutNode(node.name(), EARLIER, false))
                .toList());
    List<RolloutNode> allowed =
        List.of(new RolloutNode("fleet-0", null, true), new RolloutNode("fleet-1", EARLIER, true));

    assertThat(
            persisted(fleet(B, A, A).status(status -> rolling(B).withRollout(forged)))
                .rollout()
                .nodes())
        .isEqualTo(allowed);
    assertThat(
            persisted(fleet(B, A, A).status(status -> status.withPausedRollout(forged)))
                .rollout()
                .nodes())
        .isEqualTo(allowed);
  }

  @Test
  void storedEndOfAPlanDoesNotEndTheRollout() {
    SeiNodeDeploymentStatus rolling = rolling(B);
    TaskPlan plan = rolling.plan();
    TaskPlan over =
        plan.withTasks(
            plan.tasks().stream().map(task -> task.withStatus(TaskStatus.COMPLETE)).toList());
    for (TaskPlan forged :
        List.of(over, plan.withTasks(List.of()), plan.withKind(PlanKind.UPDATE))) {
      SeiNodeDeploymentStatus status =
          persisted(fleet(B, A, A).status(fleet -> rolling.withPlan(forged)));

      assertThat(status.plan().id()).isNotEqualTo(plan.id());
      assertThat(status.rollout()).isEqualTo(rolling.rollout());
    }
  }

  @Test
  void completedTemplateThatNoNodeHasIsReplaced() {
    SeiNodeDeploymentStatus status =
        persisted(
            fleet(B, A, A)
                .status(
                    fleet ->
                        fleet.with(
                            to -> to.completedTemplateHash(hash(C)).failedTemplateHash(hash(B)))));

    assertThat(status.completedTemplateHash()).isEqualTo(hash(A));
  }

  @Test
  void aTemplateThatEveryNodeWasBroughtToHasNotFailed() {
    assertThat(
            persisted(
                    settledOn(fleet(A, A, A), A)
                        .status(status -> status.withFailedTemplateHash(hash(A))))
                .failedTemplateHash())
        .isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "True, Paused, , true",
    "False, Pausing, , true",
    "False, NotPaused, , false",
    "True, Paused, false, false",
    "False, NotPaused, true, true"
  })
  void whatWasPausedGoesOnFirst(String said, String why, Boolean stored, boolean resumes) {
    List<Condition> conditions =
        Conditions.with(
            null,
            FleetConditionType.PAUSED,
            ConditionStatus.of(Boolean.parseBoolean(said)),
            new Reason.Stored(why),
            "",
            1L,
            EARLIER);
    FleetSample fleet =
        fleet(A, A)
            .status(status -> status.with(to -> to.conditions(conditions).rolloutsPaused(stored)));

    assertThat(decide(fleet) instanceof RolloutDecision.Resume).isEqualTo(resumes);
  }

  private static UpdateStrategy strategy(InPlace limits) {
    return new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, limits, null);
  }

  private static UpdateStrategy partition(int partition) {
    return strategy(new InPlace(null, partition, null, null, null));
  }
}
