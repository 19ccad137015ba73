package io.sei.operator.fleet.status;

import static io.sei.operator.fleet.SnapshotBuilder.A;
import static io.sei.operator.fleet.SnapshotBuilder.B;
import static io.sei.operator.fleet.SnapshotBuilder.hash;
import static io.sei.operator.fleet.SnapshotBuilder.held;
import static io.sei.operator.fleet.SnapshotBuilder.outdated;
import static io.sei.operator.fleet.SnapshotBuilder.paused;
import static io.sei.operator.fleet.SnapshotBuilder.stalled;
import static io.sei.operator.fleet.SnapshotBuilder.unready;
import static io.sei.operator.fleet.status.FleetConditionsTest.says;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.fleet.Fleets;
import io.sei.operator.fleet.SnapshotBuilder;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Ready, Stalled and Reconciling of a fleet, which GitOps tools read. */
class FleetReconcilingTest {

  private static final Rollout TO_B = new Rollout(hash(B), Fleets.LONG_AGO, null);

  @Test
  void rolloutIsWorkThatGoesOnWhileEveryNodeIsReady() {
    assertSays(
        new SnapshotBuilder(2, B)
            .child(0, A)
            .child(1, A)
            .status(status -> status.withRollout(TO_B)),
        "True/AllNodesReady",
        "False/NotStalled",
        "True/TemplateChanged");
    assertSays(
        new SnapshotBuilder(2, B).child(0, A).child(1, A),
        "True/AllNodesReady",
        "False/NotStalled",
        "True/Outdated");
  }

  @Test
  void fleetWithoutWorkIsNotReconciling() {
    assertSays(
        new SnapshotBuilder(2, A).child(0, A).child(1, A),
        "True/AllNodesReady",
        "False/NotStalled",
        "False/UpToDate");
  }

  @Test
  void nodesThatAreMissingRestartOrLackTheirConfigurationAreWork() {
    assertSays(
        new SnapshotBuilder(2, A).child(0, A),
        "False/NodesInitializing",
        "False/NotStalled",
        "True/NodesInitializing");
    assertSays(
        new SnapshotBuilder(2, A).child(0, A).child(1, A, unready("CatchingUp")),
        "False/CatchingUp",
        "False/NotStalled",
        "True/CatchingUp");
    assertSays(
        new SnapshotBuilder(2, A).child(0, A).child(1, A, outdated()),
        "True/AllNodesReady",
        "False/NotStalled",
        "True/Outdated");
  }

  @Test
  void stallEndsTheWork() {
    assertSays(
        new SnapshotBuilder(2, A).child(0, A).child(1, A, stalled("ImagePull")),
        "False/PodNotReady",
        "True/ImagePull",
        "False/ImagePull");
  }

  @Test
  void templateThatWasRolledBackIsAStallUntilItChanges() {
    Rollout back = new Rollout(hash(A), Fleets.LONG_AGO, null);
    SnapshotBuilder rolledBack =
        new SnapshotBuilder(1, B)
            .child(0, A)
            .kept(A)
            .status(status -> status.withFailedTemplateHash(hash(B)));

    assertSays(rolledBack, "True/AllNodesReady", "True/RolledBack", "False/RolledBack");
    assertSays(
        rolledBack.status(status -> status.withRollout(back)),
        "True/AllNodesReady",
        "True/RolledBack",
        "False/RolledBack");
  }

  @Test
  void partitionThatIsReachedIsNoWork() {
    SnapshotBuilder fleet =
        new SnapshotBuilder(3, B)
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
    SnapshotBuilder fleet =
        new SnapshotBuilder(2, B)
            .child(0, A)
            .child(1, A)
            .spec(spec -> spec.withUpdateStrategy(partition(null, true)));
    assertSays(fleet, "True/AllNodesReady", "False/NotStalled", "False/Paused");

    Rollout planned = TO_B.withNodes(List.of(new RolloutNode("fleet-1", null, true)));
    fleet.status(status -> status.withPausedRollout(planned));
    assertSays(fleet, "True/AllNodesReady", "False/NotStalled", "False/Paused");

    Rollout begun = TO_B.withNodes(List.of(new RolloutNode("fleet-1", Fleets.LONG_AGO, true)));
    fleet.status(status -> status.withPausedRollout(begun));
    assertSays(fleet, "True/AllNodesReady", "False/NotStalled", "True/Paused");
  }

  @Test
  void fleetIsJudgedByTheNodesThatAreNeitherPausedNorHeld() {
    assertSays(
        new SnapshotBuilder(2, A).child(0, A, down(paused())).child(1, A),
        "True/NodePaused",
        "False/NotStalled",
        "False/NodePaused");
    assertSays(
        new SnapshotBuilder(2, A).child(0, A, down(held())).child(1, A),
        "True/NodeHeld",
        "False/NotStalled",
        "False/NodeHeld");
    assertSays(
        new SnapshotBuilder(2, B).child(0, A, down(paused())).child(1, B),
        "True/NodePaused",
        "False/NotStalled",
        "False/NodePaused");
    assertSays(
        new SnapshotBuilder(3, A)
            .child(0, A, down(held()))
            .child(1, A)
            .child(2, A, unready("Starting")),
        "False/Starting",
        "False/NotStalled",
        "True/Starting");
    assertSays(
        new SnapshotBuilder(2, A).child(0, A, stalled("DiskFull").andThen(held())).child(1, A),
        "True/NodeHeld",
        "False/NotStalled",
        "False/NodeHeld");
    assertSays(
        new SnapshotBuilder(2, A).child(0, A, down(paused())).child(1, A, stalled("CrashLoop")),
        "False/PodNotReady",
        "True/CrashLoop",
        "False/CrashLoop");
  }

  @Test
  void fleetWithoutANodeThatServesWaits() {
    assertSays(
        new SnapshotBuilder(1, A).child(0, A, down(paused())),
        "False/Paused",
        "False/NotStalled",
        "False/NodePaused");
    assertSays(
        new SnapshotBuilder(1, A).child(0, A, down(paused())).spec(spec -> spec.withPaused(true)),
        "False/Paused",
        "False/NotStalled",
        "True/Pausing");
  }

  @Test
  void haltForAnUnlistedUpgradeStallsTheFleetAndNotItsTemplate() {
    SnapshotBuilder fleet = new SnapshotBuilder(1, A).child(0, A, stalled("HaltedAtUpgrade"));

    assertSays(fleet, "False/PodNotReady", "True/HaltedAtUpgrade", "False/HaltedAtUpgrade");
    assertThat(fleet.build().fleet().getFirst().stall()).isNull();
    assertThat(message(fleet, FleetConditionType.STALLED)).isEqualTo("fleet-0: the evidence");
  }

  /** A node that is not Ready because of what its spec asks for. */
  private static Consumer<SeiNode> down(Consumer<SeiNode> asked) {
    return unready("Paused").andThen(asked);
  }

  private static UpdateStrategy partition(Integer partition, Boolean paused) {
    return new UpdateStrategy(
        UpdateStrategy.Type.IN_PLACE,
        new UpdateStrategy.InPlace(null, partition, null, null, null),
        paused);
  }

  private static void assertSays(
      SnapshotBuilder fleet, String ready, String stalled, String reconciling) {
    SeiNodeDeploymentStatus status = FleetConditionsTest.derive(fleet, pass -> {});
    assertThat(List.of(says(status, "Ready"), says(status, "Stalled"), says(status, "Reconciling")))
        .containsExactly(ready, stalled, reconciling);
  }

  private static String message(SnapshotBuilder fleet, FleetConditionType type) {
    SeiNodeDeploymentStatus status = FleetConditionsTest.derive(fleet, pass -> {});
    return Conditions.find(status.conditions(), type).orElseThrow().message();
  }
}
