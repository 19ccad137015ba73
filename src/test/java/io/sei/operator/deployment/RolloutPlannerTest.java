package io.sei.operator.deployment;

import static io.sei.operator.deployment.SnapshotBuilder.A;
import static io.sei.operator.deployment.SnapshotBuilder.B;
import static io.sei.operator.deployment.SnapshotBuilder.C;
import static io.sei.operator.deployment.SnapshotBuilder.hash;
import static io.sei.operator.deployment.SnapshotBuilder.paused;
import static io.sei.operator.deployment.SnapshotBuilder.stalled;
import static io.sei.operator.deployment.SnapshotBuilder.terminating;
import static io.sei.operator.deployment.SnapshotBuilder.unready;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** When a rollout begins, goes on, turns, or rests. */
class RolloutPlannerTest {

  private static final UpdateStrategy HELD =
      new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, null, true);
  private static final UpdateStrategy ROLLBACK =
      strategy(new InPlace(null, null, null, 2, OnStall.ROLLBACK));
  private static final Instant EARLIER = Fleets.LONG_AGO;

  private final RolloutPlanner planner = new RolloutPlanner(plan -> true);

  @Test
  void restsWhenEveryNodeIsOnTheTemplate() {
    assertThat(decide(fleet(A, A, A))).isInstanceOf(RolloutDecision.Rest.class);
  }

  @Test
  void beginsWhenTheTemplateIsAnother() {
    SeiNodeDeploymentStatus status = persisted(fleet(B, A, A));

    assertThat(status.rollout().targetHash()).isEqualTo(hash(B));
    assertThat(status.rollout().startedAt()).isEqualTo(Fleets.NOW);
    assertThat(status.rollout().nodes())
        .containsExactly(
            new RolloutNode("fleet-0", null, true), new RolloutNode("fleet-1", null, true));
    assertThat(status.plan().tasks())
        .extracting("type")
        .containsExactly("update-node-specs", "await-spec-update");
    assertThat(status.templateHash()).isEqualTo(hash(A));
  }

  @Test
  void remembersWhichNodesWereAvailable() {
    var fleet = new SnapshotBuilder(2, B).child(0, A).child(1, A, unready("CrashLoop"));

    assertThat(persisted(settledOn(fleet, A)).rollout().nodes())
        .extracting(RolloutNode::wasAvailable)
        .containsExactly(true, false);
  }

  @Test
  void nothingIsDueBelowThePartitionOrForPausedOrTerminatingNodes() {
    Stream.of(
            fleet(B, A, A).spec(it -> it.withUpdateStrategy(partition(2))),
            settledOn(new SnapshotBuilder(1, B).child(0, A, paused()), A),
            settledOn(new SnapshotBuilder(1, B).child(0, A, terminating()), A),
            settledOn(new SnapshotBuilder(1, B).child(0, B).child(1, A), B))
        .forEach(fleet -> assertThat(decide(fleet)).isInstanceOf(RolloutDecision.Rest.class));
  }

  @Test
  void admissionIsPersistedBeforeAnythingIsDone() {
    SeiNodeDeploymentStatus begun = persisted(fleet(B, A, A));

    SeiNodeDeploymentStatus admitted = persisted(fleet(B, A, A).status(it -> begun));

    assertThat(admitted.rollout().nodes())
        .containsExactly(
            new RolloutNode("fleet-0", null, true), new RolloutNode("fleet-1", Fleets.NOW, true));
    assertThat(admitted.plan()).isEqualTo(begun.plan());
    assertThat(decide(fleet(B, A, A).status(it -> admitted)))
        .isInstanceOf(RolloutDecision.Continue.class);
  }

  @Test
  void aNewerTemplateTakesOverWithWhatIsKnownOfTheNodes() {
    SeiNodeDeploymentStatus rolling = rolling(B);
    var fleet = new SnapshotBuilder(2, C).child(0, A).child(1, B, unready("ImagePull"));

    SeiNodeDeploymentStatus status = persisted(fleet.status(it -> rolling));

    assertThat(status.rollout().targetHash()).isEqualTo(hash(C));
    assertThat(status.rollout().startedAt()).isEqualTo(Fleets.NOW);
    assertThat(status.rollout().nodes())
        .containsExactly(
            new RolloutNode("fleet-0", null, true), new RolloutNode("fleet-1", null, true));
    assertThat(status.plan().id()).isNotEqualTo(rolling.plan().id());
    assertThat(status.plan().target().specHash()).isEqualTo(hash(C));
  }

  @Test
  void goingBackToTheOldTemplateTakesOverToo() {
    var fleet = new SnapshotBuilder(2, A).child(0, A).child(1, B, unready("ImagePull"));

    assertThat(persisted(fleet.status(it -> rolling(B))).rollout().targetHash()).isEqualTo(hash(A));
  }

  @Test
  void aPlanThatIsNotOursIsMadeAgainAndTheRolloutKeepsItsStart() {
    SeiNodeDeploymentStatus rolling = rolling(B);
    for (TaskPlan plan : new TaskPlan[] {null, rolling.plan().withTarget(null)}) {
      SeiNodeDeploymentStatus status =
          persisted(fleet(B, A, A).status(it -> rolling.withPlan(plan)));

      assertThat(status.plan().isActive()).isTrue();
      assertThat(status.rollout()).isEqualTo(rolling.rollout());
    }
    var unknowing = new RolloutPlanner(plan -> false);
    assertThat(unknowing.decide(fleet(B, A, A).status(it -> rolling).build()))
        .isInstanceOf(RolloutDecision.Persist.class);
  }

  @Test
  void aPlanThatBelongsToNoRolloutIsDropped() {
    SeiNodeDeploymentStatus left = rolling(B).withRollout(null);

    assertThat(persisted(fleet(A, A, A).status(it -> left)).plan()).isNull();
  }

  @Test
  void holdingPutsARolloutAsideAndReleasingTakesItUpAgain() {
    SeiNodeDeploymentStatus rolling = rolling(B);

    SeiNodeDeploymentStatus held =
        persisted(fleet(B, A, A).spec(it -> it.withUpdateStrategy(HELD)).status(it -> rolling));

    assertThat(held.rollout()).isNull();
    assertThat(held.plan()).isNull();
    assertThat(held.pausedRollout()).isEqualTo(rolling.rollout());
    assertThat(decide(fleet(B, A, A).spec(it -> it.withUpdateStrategy(HELD)).status(it -> held)))
        .isInstanceOf(RolloutDecision.Rest.class);

    SeiNodeDeploymentStatus resumed = persisted(fleet(B, A, A).status(it -> held));

    assertThat(resumed.rollout()).isEqualTo(rolling.rollout());
    assertThat(resumed.pausedRollout()).isNull();
    assertThat(resumed.plan().isActive()).isTrue();
  }

  @Test
  void nodesAreLetGoBeforeARolloutGoesOn() {
    SeiNodeDeploymentStatus rolling = rolling(B);
    SeiNodeDeploymentStatus stopped =
        rolling.with(
            it ->
                it.rollout(null)
                    .plan(null)
                    .pausedRollout(rolling.rollout())
                    .conditions(
                        List.of(
                            new Condition(
                                "Paused", ConditionStatus.TRUE, 6L, EARLIER, "Paused", ""))));
    var fleet = new SnapshotBuilder(2, B).child(0, A, paused()).child(1, A, paused());

    assertThat(decide(fleet.status(it -> stopped))).isInstanceOf(RolloutDecision.Release.class);
  }

  @Test
  void aTemplateChangedWhileHeldBeginsAnewAndStillKnowsWhoWasAvailable() {
    SeiNodeDeploymentStatus held =
        rolling(B).with(it -> it.pausedRollout(rolling(B).rollout()).rollout(null).plan(null));
    var fleet = new SnapshotBuilder(2, C).child(0, A).child(1, B, unready("PodNotReady"));

    SeiNodeDeploymentStatus status = persisted(fleet.status(it -> held));

    assertThat(status.rollout().targetHash()).isEqualTo(hash(C));
    assertThat(status.rollout().startedAt()).isEqualTo(Fleets.NOW);
    assertThat(status.rollout().nodes())
        .extracting(RolloutNode::wasAvailable)
        .containsExactly(true, true);
    assertThat(status.pausedRollout()).isNull();
  }

  @Test
  void aPausedRolloutThatIsNotNeededAnyMoreIsForgotten() {
    SeiNodeDeploymentStatus held =
        rolling(B).with(it -> it.pausedRollout(rolling(B).rollout()).rollout(null).plan(null));

    assertThat(persisted(fleet(A, A, A).status(it -> held)).pausedRollout()).isNull();
  }

  @Test
  void rollsBackWhatStallsAndDoesNotTryItAgain() {
    var stalling =
        new SnapshotBuilder(2, B)
            .child(0, A)
            .child(1, B, stalled("ImagePull"))
            .kept(A)
            .spec(it -> it.withUpdateStrategy(ROLLBACK))
            .status(it -> rolling(B));
    SeiNodeDeploymentStatus failed = persisted(stalling);

    assertThat(failed.failedTemplateHash()).isEqualTo(hash(B));
    SeiNodeDeploymentStatus back = persisted(stalling.status(it -> failed));
    assertThat(back.rollout().targetHash()).isEqualTo(hash(A));
    SeiNodeDeploymentStatus over = back.with(it -> it.rollout(null).plan(null));
    assertThat(decide(fleet(B, A, A).status(it -> over))).isInstanceOf(RolloutDecision.Rest.class);
    assertThat(persisted(fleet(C, A, A).status(it -> over)).failedTemplateHash()).isNull();
  }

  @Test
  void doesNotRollBackToATemplateThatIsNotKept() {
    var stalling =
        new SnapshotBuilder(2, B)
            .child(0, A)
            .child(1, B, stalled("ImagePull"))
            .spec(it -> it.withUpdateStrategy(ROLLBACK))
            .status(it -> rolling(B));

    assertThat(decide(stalling)).isInstanceOf(RolloutDecision.Continue.class);
  }

  @Test
  void theHashOfAnotherOperatorIsReplacedByThatOfTheNodesThereAre() {
    var fleet = new SnapshotBuilder(1, B).child(0, A);

    SeiNodeDeploymentStatus status =
        persisted(fleet.status(it -> it.withTemplateHash("0123456789abcdef")));

    assertThat(status.templateHash()).isEqualTo(hash(A));
    assertThat(status.rollout()).isNull();
  }

  @Test
  void theHashOfAnotherOperatorGivesWayToTheTemplateWhereNodesDiffer() {
    var fleet = new SnapshotBuilder(2, C).child(0, A).child(1, B);

    assertThat(
            persisted(fleet.status(it -> it.withTemplateHash("0123456789abcdef"))).templateHash())
        .isEqualTo(hash(C));
  }

  @Test
  void aFleetThatGotThereByItselfIsSettled() {
    var fleet = new SnapshotBuilder(1, B).child(0, B);

    assertThat(persisted(settledOn(fleet, A)).templateHash()).isEqualTo(hash(B));
  }

  @Test
  void turnsThatNobodyGaveAreTakenBackBeforeANodeIsTouched() {
    Rollout all = rolling(B).rollout();
    Rollout forged =
        all.withNodes(
            all.nodes().stream()
                .map(node -> new RolloutNode(node.name(), EARLIER, false))
                .toList());
    List<RolloutNode> allowed =
        List.of(new RolloutNode("fleet-0", null, true), new RolloutNode("fleet-1", EARLIER, true));

    assertThat(
            persisted(fleet(B, A, A).status(it -> rolling(B).withRollout(forged)))
                .rollout()
                .nodes())
        .isEqualTo(allowed);
    assertThat(
            persisted(fleet(B, A, A).status(it -> it.withPausedRollout(forged))).rollout().nodes())
        .isEqualTo(allowed);
  }

  @Test
  void aPlanThatIsSaidToHaveEndedDoesNotEndTheRollout() {
    SeiNodeDeploymentStatus rolling = rolling(B);
    TaskPlan plan = rolling.plan();
    TaskPlan over =
        plan.withTasks(
            plan.tasks().stream().map(task -> task.withStatus(TaskStatus.COMPLETE)).toList());
    for (TaskPlan forged :
        List.of(over, plan.withTasks(List.of()), plan.withKind(PlanKind.UPDATE))) {
      SeiNodeDeploymentStatus status =
          persisted(fleet(B, A, A).status(it -> rolling.withPlan(forged)));

      assertThat(status.plan().id()).isNotEqualTo(plan.id());
      assertThat(status.rollout()).isEqualTo(rolling.rollout());
    }
  }

  @Test
  void aCompletedTemplateThatNobodyHasIsReplaced() {
    SeiNodeDeploymentStatus status =
        persisted(
            fleet(B, A, A)
                .status(it -> it.with(to -> to.templateHash(hash(C)).failedTemplateHash(hash(B)))));

    assertThat(status.templateHash()).isEqualTo(hash(A));
  }

  @Test
  void aTemplateThatEveryNodeWasBroughtToHasNotFailed() {
    assertThat(
            persisted(settledOn(fleet(A, A, A), A).status(it -> it.withFailedTemplateHash(hash(A))))
                .failedTemplateHash())
        .isNull();
  }

  @Test
  void aRolloutToATemplateThatNobodyAsksForIsSupersededBeforeNodesAreLetGo() {
    var paused = new Condition("Paused", ConditionStatus.TRUE, 6L, EARLIER, "Paused", "");
    SeiNodeDeploymentStatus status =
        persisted(
            fleet(A, A, A)
                .kept(C)
                .status(
                    it ->
                        rolling(B)
                            .with(
                                to ->
                                    to.rollout(rolling(C).rollout()).conditions(List.of(paused)))));

    assertThat(status.rollout().targetHash()).isEqualTo(hash(A));
  }

  private static UpdateStrategy strategy(InPlace limits) {
    return new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, limits, null);
  }

  private static UpdateStrategy partition(int partition) {
    return strategy(new InPlace(null, partition, null, null, null));
  }

  /** A fleet that was brought to A, with nodes of these images and a template of that. */
  private static SnapshotBuilder fleet(String template, String... images) {
    var fleet = new SnapshotBuilder(images.length, template);
    for (int ordinal = 0; ordinal < images.length; ordinal++) {
      fleet.child(ordinal, images[ordinal]);
    }
    return settledOn(fleet, A);
  }

  private static SnapshotBuilder settledOn(SnapshotBuilder fleet, String image) {
    return fleet.status(it -> it.withTemplateHash(hash(image)));
  }

  /** The status while two nodes are rolled from A and the second has been admitted. */
  private SeiNodeDeploymentStatus rolling(String image) {
    SeiNodeDeploymentStatus begun = persisted(fleet(image, A, A));
    return begun.withRollout(
        new Rollout(
            hash(image),
            EARLIER,
            List.of(
                new RolloutNode("fleet-0", null, true),
                new RolloutNode("fleet-1", EARLIER, true))));
  }

  private RolloutDecision decide(SnapshotBuilder fleet) {
    return planner.decide(fleet.build());
  }

  private SeiNodeDeploymentStatus persisted(SnapshotBuilder fleet) {
    RolloutDecision decision = decide(fleet);
    assertThat(decision).isInstanceOf(RolloutDecision.Persist.class);
    return ((RolloutDecision.Persist) decision).status();
  }
}
