package io.sei.operator.fleet;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.B;
import static io.sei.operator.testkit.samples.FleetSample.C;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static io.sei.operator.testkit.samples.FleetSample.hash;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.fleet.feature.RolloutDecision;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A rollout that is held, or that a newer template supersedes. */
class RolloutSupersedingTest extends RolloutPlannerTestCase {

  private static final UpdateStrategy HELD =
      new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, null, true);

  @Test
  void aNewerTemplateTakesOverWithWhatIsKnownOfTheNodes() {
    SeiNodeDeploymentStatus rolling = rolling(B);
    var fleet = aFleet(2, C).child(0, A).child(1, B, node -> node.unready("ImagePull"));

    SeiNodeDeploymentStatus status = persisted(fleet.status(seiNodeDeploymentStatus -> rolling));

    assertThat(status.rollout().targetHash()).isEqualTo(hash(C));
    assertThat(status.rollout().startedAt()).isEqualTo(NodeSample.NOW);
    assertThat(status.rollout().nodes())
        .containsExactly(
            new RolloutNode("fleet-0", null, true),
            new RolloutNode("fleet-1", NodeSample.NOW, true));
    assertThat(status.plan().id()).isNotEqualTo(rolling.plan().id());
    assertThat(status.plan().target().specHash()).isEqualTo(hash(C));
  }

  @ParameterizedTest(name = "fleet-1 is {0}")
  @MethodSource("turns")
  void aNodeOnItsWayKeepsItsTurnWhenANewerTemplateTakesOver(
      String what, RolloutNode before, UnaryOperator<NodeSample> change, RolloutNode expected) {
    var fleet = aFleet(3, C).child(0, A).child(1, B, change).child(2, B);
    SeiNodeDeploymentStatus rolling =
        rolling(B)
            .withRollout(
                new Rollout(
                    hash(B),
                    EARLIER,
                    List.of(
                        new RolloutNode("fleet-0", null, true),
                        before,
                        new RolloutNode("fleet-2", EARLIER, true))));

    SeiNodeDeploymentStatus newer = persisted(fleet.status(status -> rolling));

    assertThat(newer.rollout().nodes())
        .containsExactly(
            new RolloutNode("fleet-0", null, true),
            expected,
            new RolloutNode("fleet-2", null, true));
  }

  static Stream<Arguments> turns() {
    var waiting = new RolloutNode("fleet-1", null, true);
    var admitted = new RolloutNode("fleet-1", EARLIER, true);
    var kept = new RolloutNode("fleet-1", NodeSample.NOW, true);
    return Stream.of(
        turn("about to be replaced", admitted, node -> node.stillRuns(A), kept),
        turn("about to be replaced, by its spec", waiting, node -> node.stillRuns(A), kept),
        turn("not Ready again", admitted, node -> node.unready("PodNotReady"), kept),
        turn("there", admitted, node -> node.stillRuns(B), waiting),
        turn("paused by the user", admitted, node -> node.stillRuns(A).paused(), waiting));
  }

  private static Arguments turn(
      String what, RolloutNode before, UnaryOperator<NodeSample> change, RolloutNode expected) {
    return arguments(what, before, change, expected);
  }

  @Test
  void aNodeThatKeepsItsTurnCounts() {
    var fleet = aFleet(3, C).child(0, A).child(1, B, node -> node.stillRuns(A)).child(2, B);
    SeiNodeDeploymentStatus newer = persisted(fleet.status(status -> rolling(B)));

    assertThat(decide(fleet.status(status -> newer))).isInstanceOf(RolloutDecision.Continue.class);
  }

  @Test
  void goingBackToTheOldTemplateTakesOverToo() {
    var fleet = aFleet(2, A).child(0, A).child(1, B, node -> node.unready("ImagePull"));

    assertThat(persisted(fleet.status(status -> rolling(B))).rollout().targetHash())
        .isEqualTo(hash(A));
  }

  @Test
  void rolloutToATemplateOutOfForceIsSupersededBeforeNodesAreReleased() {
    var paused = new Condition("Paused", ConditionStatus.TRUE, 6L, EARLIER, "Paused", "");
    SeiNodeDeploymentStatus status =
        persisted(
            fleet(A, A, A)
                .kept(C)
                .status(
                    seiNodeDeploymentStatus ->
                        rolling(B)
                            .with(
                                to ->
                                    to.rollout(rolling(C).rollout()).conditions(List.of(paused)))));

    assertThat(status.rollout().targetHash()).isEqualTo(hash(A));
  }

  @Test
  void holdingPutsARolloutAsideAndReleasingTakesItUpAgain() {
    SeiNodeDeploymentStatus rolling = rolling(B);

    SeiNodeDeploymentStatus held =
        persisted(
            fleet(B, A, A).spec(spec -> spec.withUpdateStrategy(HELD)).status(status -> rolling));

    assertThat(held.rollout()).isNull();
    assertThat(held.plan()).isNull();
    assertThat(held.pausedRollout()).isEqualTo(rolling.rollout());
    assertThat(
            decide(
                fleet(B, A, A).spec(spec -> spec.withUpdateStrategy(HELD)).status(status -> held)))
        .isInstanceOf(RolloutDecision.Rest.class);

    SeiNodeDeploymentStatus resumed = persisted(fleet(B, A, A).status(status -> held));

    assertThat(resumed.rollout()).isEqualTo(rolling.rollout());
    assertThat(resumed.pausedRollout()).isNull();
    assertThat(resumed.plan().isActive()).isTrue();
  }

  @Test
  void nodesAreLetGoBeforeARolloutGoesOn() {
    SeiNodeDeploymentStatus rolling = rolling(B);
    SeiNodeDeploymentStatus stopped =
        rolling.with(
            builder ->
                builder
                    .rollout(null)
                    .plan(null)
                    .pausedRollout(rolling.rollout())
                    .conditions(
                        List.of(
                            new Condition(
                                "Paused", ConditionStatus.TRUE, 6L, EARLIER, "Paused", ""))));
    var fleet = aFleet(2, B).child(0, A, NodeSample::paused).child(1, A, NodeSample::paused);

    assertThat(decide(fleet.status(status -> stopped))).isInstanceOf(RolloutDecision.Resume.class);
  }

  @Test
  void aTemplateChangedWhileHeldBeginsAnewAndStillKnowsWhoWasAvailable() {
    SeiNodeDeploymentStatus held =
        rolling(B)
            .with(builder -> builder.pausedRollout(rolling(B).rollout()).rollout(null).plan(null));
    var fleet = aFleet(2, C).child(0, A).child(1, B, node -> node.unready("PodNotReady"));

    SeiNodeDeploymentStatus status = persisted(fleet.status(seiNodeDeploymentStatus -> held));

    assertThat(status.rollout().targetHash()).isEqualTo(hash(C));
    assertThat(status.rollout().startedAt()).isEqualTo(NodeSample.NOW);
    assertThat(status.rollout().nodes())
        .extracting(RolloutNode::wasAvailable)
        .containsExactly(true, true);
    assertThat(status.pausedRollout()).isNull();
  }

  @Test
  void aPausedRolloutThatIsNotNeededAnyMoreIsForgotten() {
    SeiNodeDeploymentStatus held =
        rolling(B)
            .with(builder -> builder.pausedRollout(rolling(B).rollout()).rollout(null).plan(null));

    assertThat(persisted(fleet(A, A, A).status(status -> held)).pausedRollout()).isNull();
  }
}
