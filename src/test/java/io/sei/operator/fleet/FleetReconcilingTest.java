package io.sei.operator.fleet;

import static io.sei.operator.fleet.FleetConditionsTest.says;
import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.B;
import static io.sei.operator.testkit.samples.FleetSample.C;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static io.sei.operator.testkit.samples.FleetSample.hash;
import static io.sei.operator.testkit.samples.RolloutSample.partition;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.fleet.feature.Assigned;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Ready, Stalled and Reconciling of a fleet, which GitOps tools read. */
class FleetReconcilingTest {

  private static final Rollout TO_B = new Rollout(hash(B), NodeSample.LONG_AGO, null);

  @Test
  void rolloutIsWorkThatGoesOnWhileEveryNodeIsReady() {
    assertSays(
        aFleet(2, A).ready().image(B).status(status -> status.withRollout(TO_B)),
        "True/AllNodesReady",
        "False/NotStalled",
        "True/TemplateChanged");
    assertSays(
        aFleet(2, A).ready().image(B), "True/AllNodesReady", "False/NotStalled", "True/Outdated");
  }

  @Test
  void fleetWithoutWorkIsNotReconciling() {
    assertSays(aFleet(2, A).ready(), "True/AllNodesReady", "False/NotStalled", "False/UpToDate");
  }

  @Test
  void nodesThatAreMissingRestartOrLackTheirConfigurationAreWork() {
    assertSays(
        aFleet(2, A).child(0, A),
        "False/NodesInitializing",
        "False/NotStalled",
        "True/NodesInitializing");
    assertSays(
        aFleet(2, A).child(0, A).child(1, A, node -> node.unready("CatchingUp")),
        "False/CatchingUp",
        "False/NotStalled",
        "True/CatchingUp");
    assertSays(
        aFleet(2, A).child(0, A).child(1, A, NodeSample::outdated),
        "True/AllNodesReady",
        "False/NotStalled",
        "True/Outdated");
  }

  @Test
  void stallEndsTheWork() {
    assertSays(
        aFleet(2, A).child(0, A).child(1, A, node -> node.stalled("ImagePull")),
        "False/PodNotReady",
        "True/ImagePull",
        "False/ImagePull");
  }

  @Test
  void templateThatWasRolledBackIsAStallUntilItChanges() {
    Rollout back = new Rollout(hash(A), NodeSample.LONG_AGO, null);
    FleetSample rolledBack =
        aFleet(1, A)
            .ready()
            .image(B)
            .kept(A)
            .status(status -> status.withFailedTemplateHash(hash(B)));

    assertSays(rolledBack, "True/AllNodesReady", "True/RolledBack", "False/RolledBack");
    assertSays(
        rolledBack.status(status -> status.withRollout(back)),
        "True/AllNodesReady",
        "True/RolledBack",
        "False/RolledBack");
  }

  /** Its revision is recorded first, in a pass of its own, which reports too. */
  @Test
  void templateThatReplacesOneThatWasRolledBackIsWorkFromTheFirstPassOn() {
    assertFirstSays(
        aFleet(1, A)
            .ready()
            .image(C)
            .kept(A)
            .kept(B)
            .status(
                status ->
                    status.withCompletedTemplateHash(hash(A)).withFailedTemplateHash(hash(B))),
        "True/AllNodesReady",
        "False/NotStalled",
        "True/Outdated");
  }

  @Test
  void nodeThatIsToBeGivenTheNewTemplateIsNotKnownToBeStalled() {
    FleetSample fleet =
        aFleet(1, C).child(0, B, node -> node.stalled("ImagePull")).status(stalledBefore(0L));
    assertFirstSays(fleet, "False/PodNotReady", "False/Recovering", "True/PodNotReady");

    assertFirstSays(
        fleet.status(stalledBefore(fleet.build().getMetadata().getGeneration())),
        "False/PodNotReady",
        "True/ImagePull",
        "False/ImagePull");
  }

  @Test
  void nodeThatKeepsItsTemplateStaysStalledInAFleetWithANewOne() {
    assertFirstSays(
        aFleet(1, C)
            .child(0, B, node -> node.stalled("ImagePull"))
            .status(stalledBefore(0L))
            .spec(spec -> spec.withUpdateStrategy(partition(null, true))),
        "False/PodNotReady",
        "True/ImagePull",
        "False/ImagePull");
    assertFirstSays(
        aFleet(2, C)
            .child(0, B, node -> node.stalled("ImagePull"))
            .child(1, B)
            .status(stalledBefore(0L))
            .spec(spec -> spec.withUpdateStrategy(partition(1, null))),
        "False/PodNotReady",
        "True/ImagePull",
        "False/ImagePull");
    assertFirstSays(
        aFleet(1, B).child(0, B, node -> node.stalled("ImagePull")).status(stalledBefore(0L)),
        "False/PodNotReady",
        "True/ImagePull",
        "False/ImagePull");
  }

  private static UnaryOperator<SeiNodeDeploymentStatus> stalledBefore(Long generation) {
    return status ->
        status.withConditions(
            Conditions.with(
                status.conditions(),
                FleetConditionType.STALLED,
                ConditionStatus.TRUE,
                StallReason.IMAGE_PULL,
                "fleet-0: no image",
                generation,
                NodeSample.LONG_AGO));
  }

  @Test
  void partitionThatIsReachedIsNoWork() {
    FleetSample fleet =
        aFleet(3, B)
            .child(0, A)
            .child(1, A)
            .child(2, B)
            .spec(spec -> spec.withUpdateStrategy(partition(2, null)));

    assertSays(fleet, "True/AllNodesReady", "False/NotStalled", "False/PartitionReached");
    assertThat(message(fleet, FleetConditionType.UP_TO_DATE))
        .isEqualTo(
            "every node from partition 2 on runs what the spec asks for; on an earlier template:"
                + " fleet-0, fleet-1");
  }

  @Test
  void pausedRolloutIsWorkOnlyOnceItHasBegun() {
    FleetSample fleet =
        aFleet(2, A).ready().image(B).spec(spec -> spec.withUpdateStrategy(partition(null, true)));
    assertSays(fleet, "True/AllNodesReady", "False/NotStalled", "False/Paused");

    Rollout planned = TO_B.withNodes(List.of(new RolloutNode("fleet-1", null, true)));
    assertSays(
        fleet.status(status -> status.withPausedRollout(planned)),
        "True/AllNodesReady",
        "False/NotStalled",
        "False/Paused");

    Rollout begun = TO_B.withNodes(List.of(new RolloutNode("fleet-1", NodeSample.LONG_AGO, true)));
    assertSays(
        fleet.status(status -> status.withPausedRollout(begun)),
        "True/AllNodesReady",
        "False/NotStalled",
        "True/Paused");
  }

  @Test
  void fleetIsJudgedByTheNodesThatAreNeitherPausedNorHeld() {
    assertSays(
        aFleet(2, A).child(0, A, NodeSample::paused).child(1, A),
        "True/NodePaused",
        "False/NotStalled",
        "False/NodePaused");
    assertSays(
        aFleet(2, A).child(0, A, NodeSample::held).child(1, A),
        "True/NodeHeld",
        "False/NotStalled",
        "False/NodeHeld");
    assertSays(
        aFleet(2, B).child(0, A, NodeSample::paused).child(1, B),
        "True/NodePaused",
        "False/NotStalled",
        "False/NodePaused");
    assertSays(
        aFleet(3, A)
            .child(0, A, NodeSample::held)
            .child(1, A)
            .child(2, A, node -> node.unready("Starting")),
        "False/Starting",
        "False/NotStalled",
        "True/Starting");
    assertSays(
        aFleet(2, A).child(0, A, node -> node.stalled("DiskFull").held()).child(1, A),
        "True/NodeHeld",
        "False/NotStalled",
        "False/NodeHeld");
    assertSays(
        aFleet(2, A).child(0, A, NodeSample::paused).child(1, A, node -> node.stalled("CrashLoop")),
        "False/PodNotReady",
        "True/CrashLoop",
        "False/CrashLoop");
  }

  @Test
  void fleetWithoutANodeThatServesWaits() {
    assertSays(
        aFleet(1, A).child(0, A, NodeSample::paused),
        "False/Paused",
        "False/NotStalled",
        "False/NodePaused");
    assertSays(
        aFleet(1, A).child(0, A, NodeSample::paused).spec(spec -> spec.withPaused(true)),
        "False/Paused",
        "False/NotStalled",
        "True/Pausing");
  }

  @Test
  void haltForAnUnlistedUpgradeStallsTheFleetAndNotItsTemplate() {
    FleetSample fleet = aFleet(1, A).child(0, A, node -> node.stalled("HaltedAtUpgrade"));

    assertSays(fleet, "False/PodNotReady", "True/HaltedAtUpgrade", "False/HaltedAtUpgrade");
    assertThat(fleet.view().fleet().getFirst().stall()).isNull();
    assertThat(message(fleet, FleetConditionType.STALLED)).isEqualTo("fleet-0: the evidence");
  }

  private static UpdateStrategy partition(Integer partition, Boolean paused) {
    return new UpdateStrategy(
        UpdateStrategy.Type.IN_PLACE,
        new UpdateStrategy.InPlace(null, partition, null, null, null),
        paused);
  }

  private static void assertSays(
      FleetSample fleet, String ready, String stalled, String reconciling) {
    assertSays(fleet, pass -> {}, ready, stalled, reconciling);
  }

  /** Asserts the conditions of a pass that has not observed the nodes. */
  private static void assertFirstSays(
      FleetSample fleet, String ready, String stalled, String reconciling) {
    assertSays(fleet, pass -> pass.assigned(Assigned.NOT_LOOKED_AT), ready, stalled, reconciling);
  }

  private static void assertSays(
      FleetSample fleet,
      Consumer<FleetPass> found,
      String ready,
      String stalled,
      String reconciling) {
    SeiNodeDeploymentStatus status = FleetConditionsTest.derive(fleet, found);
    assertThat(List.of(says(status, "Ready"), says(status, "Stalled"), says(status, "Reconciling")))
        .containsExactly(ready, stalled, reconciling);
  }

  private static String message(FleetSample fleet, FleetConditionType type) {
    SeiNodeDeploymentStatus status = FleetConditionsTest.derive(fleet, pass -> {});
    return Conditions.find(status.conditions(), type).orElseThrow().message();
  }
}
