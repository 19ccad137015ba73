package io.sei.operator.fleet.snapshots;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.B;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static io.sei.operator.testkit.samples.FleetSample.hash;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.sei.operator.api.v1alpha1.FleetDataVolume;
import io.sei.operator.api.v1alpha1.FleetDataVolume.Snapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Phase;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Request;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Run;
import io.sei.operator.api.v1alpha1.FleetSnapshotsBuilder;
import io.sei.operator.api.v1alpha1.FleetSnapshotsRunBuilder;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Decides when a snapshot is due, and of which node. */
class SnapshotPlannerTest {

  private static final String HOURLY = "0 * * * *";
  private static final Instant NOW = NodeSample.NOW;
  private static final Instant COMING = NOW.plus(Duration.ofHours(1));
  private static final FleetSnapshots DUE =
      FleetSnapshotsBuilder.builder().schedule(HOURLY).nextScheduleTime(NOW).build();

  @Test
  void scheduleBeginsNow() {
    assertThat(decide(fleet(2, null)))
        .isEqualTo(new SnapshotStep.Persist(DUE.withNextScheduleTime(COMING)));
    assertThat(decide(fleet(2, DUE.withSchedule("0 3 * * *"))))
        .isEqualTo(new SnapshotStep.Persist(DUE.withNextScheduleTime(COMING)));
  }

  @Test
  void nothingIsDoneBeforeItIsDue() {
    assertThat(decide(fleet(2, DUE.withNextScheduleTime(COMING))))
        .isEqualTo(new SnapshotStep.Rest(Optional.of(Duration.ofHours(1))));
  }

  @Test
  void timeThatAClockAheadHasWrittenIsCorrected() {
    assertThat(decide(fleet(2, DUE.withNextScheduleTime(COMING.plusSeconds(1)))))
        .isEqualTo(new SnapshotStep.Persist(DUE.withNextScheduleTime(COMING)));
  }

  @Test
  void dueSnapshotIsOfTheHighestOrdinal() {
    Run run = begun(fleet(2, DUE)).active();

    assertThat(run)
        .isEqualTo(
            FleetSnapshotsRunBuilder.builder()
                .node("fleet-1")
                .snapshot("fleet-1-202606011000")
                .asked(new Request(new Snapshots(HOURLY, "class", null, null), null))
                .phase(Phase.STOPPING)
                .stoppedAt(NOW)
                .deadline(NOW.plus(Duration.ofMinutes(10)))
                .build());
  }

  @Test
  void missedOnesAreTakenOnce() {
    FleetSnapshots begun = begun(fleet(2, DUE.withNextScheduleTime(NOW.minus(Duration.ofDays(9)))));

    assertThat(begun.lastScheduleTime()).isEqualTo(NOW);
    assertThat(begun.nextScheduleTime()).isEqualTo(COMING);
  }

  @Test
  void nodeIsNotStoppedASecondTimeForADriverThatFails() {
    FleetSnapshots failed =
        DUE.withSuspended(new Request(new Snapshots(HOURLY, "class", null, null), "before"));
    FleetSample fleet = fleet(2, failed);

    assertThat(decide(fleet)).isEqualTo(new SnapshotStep.Rest(Optional.empty()));
    assertThat(decide(fleet.annotation("sei.io/retry", "before")))
        .isEqualTo(new SnapshotStep.Rest(Optional.empty()));
    assertThat(decide(fleet(2, failed, "0")))
        .as("the spec was changed")
        .isEqualTo(new SnapshotStep.Persist(DUE));
    FleetSnapshots early = failed.withNextScheduleTime(COMING);
    assertThat(decide(fleet(2, early).annotation("sei.io/retry", "again")))
        .as("a retry is due at once")
        .isEqualTo(new SnapshotStep.Persist(DUE));
    assertThat(decide(fleet(2, early).spec(spec -> spec.withDataVolume(null))))
        .isEqualTo(new SnapshotStep.Persist(null));
  }

  @Test
  void nodeOfAnOrdinalMayBeAskedFor() {
    assertThat(begun(fleet(2, DUE, "0")).active().node()).isEqualTo("fleet-0");
    assertThat(begun(fleet(2, DUE, "Last")).active().node()).isEqualTo("fleet-1");
    assertWaits(fleet(2, DUE, "7"), "there is no node 7");
  }

  static Stream<Arguments> others() {
    return Stream.of(
        child(NodeSample::paused, null),
        child(NodeSample::held, null),
        child(NodeSample::neverReady, "maxUnavailable 1 is used up by: fleet-0"),
        child(NodeSample::terminating, "maxUnavailable 1 is used up by: fleet-0"),
        child(node -> node.stalled("NodeLost"), "maxUnavailable 1 is used up by: fleet-0"));
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("others")
  void onlyANodeThatTheUserKeepsOutOfServiceUsesNoBudget(
      UnaryOperator<NodeSample> other, String why) {
    FleetSample fleet =
        wanting(aFleet(3, A), DUE, null, spec -> spec).child(0, A, other).child(1, A).child(2, A);

    if (why == null) {
      assertThat(begun(fleet).active().node()).isEqualTo("fleet-2");
    } else {
      assertWaits(fleet, why);
    }
  }

  @Test
  void lastReadyNodeIsNotStopped() {
    FleetSample fleet =
        wanting(aFleet(2, A), DUE, null, spec -> spec).child(0, A, NodeSample::paused).child(1, A);

    assertWaits(fleet, "no other node of the fleet is Ready");
  }

  static Stream<Arguments> unfit() {
    UnaryOperator<NodeSample> near = upgrade(NOW.plus(Duration.ofMinutes(14)));
    return Stream.of(
        child(NodeSample::paused, "fleet-1 is paused"),
        child(NodeSample::held, "fleet-1 is held"),
        child(NodeSample::atRisk, "fleet-1 has a data volume at risk"),
        child(NodeSample::terminating, "fleet-1 is being deleted"),
        child(NodeSample::outdated, "fleet-1 is not up to date"),
        child(near, "fleet-1 is expected to reach upgrade \"v2\" at 2026-06-01T10:14:00Z"),
        child(
            upgrade(NOW.minusSeconds(1)),
            "fleet-1 is expected to reach upgrade \"v2\" at 2026-06-01T09:59:59Z"));
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("unfit")
  void nodeThatIsNotFitIsLeftAlone(UnaryOperator<NodeSample> state, String why) {
    FleetSample fleet =
        wanting(aFleet(3, A), DUE, "1", spec -> spec)
            .child(0, A)
            .child(1, A, state)
            .child(2, A)
            .spec(spec -> spec.withUpdateStrategy(allowing(2)));
    assertWaits(fleet, why);
  }

  @Test
  void lastPassesOverNodesThatAreNotFit() {
    FleetSample fleet =
        wanting(aFleet(3, A), DUE, null, spec -> spec)
            .child(0, A)
            .child(1, A)
            .child(2, A, NodeSample::held);

    assertThat(begun(fleet).active().node()).isEqualTo("fleet-1");
  }

  @Test
  void upgradeThatIsFarAwayIsNoObstacle() {
    FleetSample fleet =
        wanting(aFleet(1, A), DUE, null, spec -> spec)
            .child(0, A, upgrade(NOW.plus(Duration.ofMinutes(16))));

    assertThat(begun(fleet).active().node()).isEqualTo("fleet-0");
  }

  @Test
  void noNodeIsTakenBeyondWhatMayBeUnavailable() {
    FleetSample fleet =
        wanting(aFleet(3, A), DUE, null, spec -> spec)
            .child(0, A, node -> node.unready("PodNotReady"))
            .child(1, A)
            .child(2, A);

    assertWaits(fleet, "maxUnavailable 1 is used up by: fleet-0");
    assertThat(begun(fleet.spec(spec -> spec.withUpdateStrategy(allowing(2)))).active().node())
        .isEqualTo("fleet-2");
  }

  @Test
  void rolloutAndPauseComeFirst() {
    var rollout = new Rollout(hash(B), NOW, null);

    assertThat(SnapshotPlanner.decide(fleet(2, DUE).view(), true))
        .isEqualTo(new SnapshotStep.Wait("a rollout is not complete"));
    assertWaits(
        fleet(2, DUE).status(status -> status.withPausedRollout(rollout)),
        "a rollout is not complete");
    assertWaits(fleet(2, DUE).spec(spec -> spec.withPaused(true)), "spec.paused is true");
  }

  @Test
  void snapshotInProgressGoesOnWithoutASchedule() {
    Run run = begun(fleet(2, DUE)).active();
    UnaryOperator<SeiNodeDeploymentSpec> none = spec -> spec.withDataVolume(null);

    assertThat(decide(fleet(2, DUE.withActive(run)).spec(none)))
        .isEqualTo(new SnapshotStep.Advance(run));
    assertThat(
            decide(
                fleet(2, DUE.withActive(run.withPhase(Phase.FINISHING).withStartedAt(NOW)))
                    .spec(none)))
        .isEqualTo(new SnapshotStep.Persist(null));
    assertThat(decide(fleet(2, DUE).spec(none))).isEqualTo(new SnapshotStep.Persist(null));
    assertThat(decide(fleet(2, null).spec(none)))
        .isEqualTo(new SnapshotStep.Rest(Optional.empty()));
  }

  @Test
  void whatIsNoRecordOfARunIsDropped() {
    Run run = begun(fleet(2, DUE)).active();

    Stream.of(
            run.withNode(null),
            run.withSnapshot(null),
            run.withPhase(null),
            run.withDeadline(null),
            run.withStoppedAt(null),
            run.withStoppedAt(Instant.MIN),
            run.withStoppedAt(Instant.MAX),
            run.withPhase(Phase.STARTING),
            run.withPhase(Phase.FINISHING).withStartedAt(Instant.MIN))
        .forEach(
            broken ->
                assertThat(decide(fleet(2, DUE.withActive(broken))))
                    .isEqualTo(new SnapshotStep.Persist(DUE)));
  }

  private static Arguments child(UnaryOperator<NodeSample> change, String why) {
    return arguments(change, why);
  }

  private static SnapshotStep decide(FleetSample fleet) {
    return SnapshotPlanner.decide(fleet.view(), false);
  }

  private static FleetSnapshots begun(FleetSample fleet) {
    return ((SnapshotStep.Begin) decide(fleet)).begun();
  }

  private static void assertWaits(FleetSample fleet, String why) {
    assertThat(decide(fleet)).isEqualTo(new SnapshotStep.Wait(why));
  }

  private static FleetSample fleet(int nodes, FleetSnapshots record) {
    return fleet(nodes, record, null);
  }

  private static FleetSample fleet(int nodes, FleetSnapshots record, String node) {
    return wanting(aFleet(nodes, A).ready(), record, node, spec -> spec);
  }

  private static FleetSample wanting(
      FleetSample fleet,
      FleetSnapshots record,
      String node,
      UnaryOperator<SeiNodeDeploymentSpec> change) {
    var wanted = new Snapshots(HOURLY, "class", null, node);
    return fleet
        .spec(spec -> change.apply(spec.withDataVolume(new FleetDataVolume(wanted))))
        .status(status -> status.withSnapshots(record));
  }

  private static UpdateStrategy allowing(int unavailable) {
    return new UpdateStrategy(
        null, new InPlace(new IntOrString(unavailable), null, null, null, null), null);
  }

  private static UnaryOperator<NodeSample> upgrade(Instant expected) {
    return node ->
        node.status(
            status ->
                status.withUpgrades(
                    List.of(
                        UpgradeStatus.scheduled(new Upgrade("v2", 9L, B, null))
                            .withExpectedAt(expected))));
  }
}
