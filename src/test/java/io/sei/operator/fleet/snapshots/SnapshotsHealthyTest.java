package io.sei.operator.fleet.snapshots;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Phase;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Request;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Taken;
import io.sei.operator.api.v1alpha1.FleetSnapshotsBuilder;
import io.sei.operator.api.v1alpha1.FleetSnapshotsRunBuilder;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SnapshotsHealthyTest {

  private static final String DUE = "2026-06-01T10:00:00Z";
  private static final FleetPass NONE = reconcile(builder -> {});

  static Stream<Arguments> verdicts() {
    FleetPass waits = reconcile(builder -> {});
    waits.note(ConditionProposal.no(FleetReason.SNAPSHOT_WAITING, "spec.paused is true"));
    FleetPass missing = reconcile(builder -> {});
    missing.note(ConditionProposal.no(FleetReason.SNAPSHOT_API_MISSING, "nothing there"));
    FleetPass failedBefore = reconcile(builder -> builder.message("why"));
    failedBefore.note(ConditionProposal.no(FleetReason.SNAPSHOT_WAITING, "spec.paused is true"));
    return Stream.of(
        arguments(NONE, true, "SnapshotScheduled", "the first one is due at " + DUE),
        arguments(
            reconcile(
                builder -> builder.latest(new Taken("s", "fleet-1", null, NodeSample.LONG_AGO))),
            true,
            "SnapshotTaken",
            "VolumeSnapshot s was taken at 2026-06-01T09:00:00Z; the next one is due at " + DUE),
        arguments(
            reconcile(builder -> builder.message("why")),
            false,
            "SnapshotFailed",
            "why; next attempt at " + DUE),
        arguments(
            reconcile(builder -> builder.message("why").suspended(new Request(null, null))),
            false,
            "SnapshotFailed",
            "why; no node is stopped for a snapshot again until spec.dataVolume.snapshots is"
                + " changed, or the fleet's annotation sei.io/retry has a new value"),
        arguments(
            reconcile(
                builder ->
                    builder
                        .latest(new Taken("s", "fleet-1", null, NodeSample.LONG_AGO))
                        .retainingClass("ebs")),
            true,
            "SnapshotTaken",
            "VolumeSnapshot s was taken at 2026-06-01T09:00:00Z; the next one is due at "
                + DUE
                + "; VolumeSnapshotClass ebs has deletionPolicy Retain: of the snapshots that are"
                + " deleted as surplus the storage keeps the data, until an administrator sets"
                + " spec.deletionPolicy of their VolumeSnapshotContents to Delete, and deletes"
                + " these"),
        arguments(waits, true, "SnapshotWaiting", "due since " + DUE + ": spec.paused is true"),
        arguments(
            failedBefore, false, "SnapshotWaiting", "due since " + DUE + ": spec.paused is true"),
        arguments(missing, false, "SnapshotApiMissing", "due since " + DUE + ": nothing there"));
  }

  static Stream<Arguments> runs() {
    FleetPass erring = running(Phase.TAKING, null);
    erring.note(ConditionProposal.no(FleetReason.SNAPSHOT_IN_PROGRESS, "no space"));
    return Stream.of(
        arguments(
            running(Phase.TAKING, null),
            true,
            "SnapshotInProgress",
            "node fleet-1 is stopped for VolumeSnapshot s until " + DUE + " at the latest"),
        arguments(
            erring,
            true,
            "SnapshotInProgress",
            "node fleet-1 is stopped for VolumeSnapshot s until "
                + DUE
                + " at the latest; so far: no space"),
        arguments(
            running(Phase.STARTING, null),
            true,
            "SnapshotInProgress",
            "VolumeSnapshot s is taken; node fleet-1 starts again"),
        arguments(
            running(Phase.STARTING, "why"),
            true,
            "SnapshotInProgress",
            "why; node fleet-1 starts again"),
        arguments(
            running(Phase.FINISHING, null),
            true,
            "SnapshotInProgress",
            "VolumeSnapshot s is taken and not ready to use yet; node fleet-1 is back"));
  }

  @ParameterizedTest(name = "{2}: {3}")
  @MethodSource({"verdicts", "runs"})
  void conditionFollowsTheSchedule(FleetPass pass, boolean value, String reason, String message) {
    ConditionProposal proposal = SnapshotsHealthy.of(pass).orElseThrow();

    assertThat(proposal.status()).isEqualTo(ConditionStatus.of(value));
    assertThat(proposal.reason()).hasToString(reason);
    assertThat(proposal.message()).isEqualTo(message);
  }

  @Test
  void withoutAScheduleItIsThereOnlyIfItWas() {
    assertThat(SnapshotsHealthy.of(aFleet(1, A).pass())).isEmpty();
    var conditions =
        Conditions.with(
            List.of(),
            FleetConditionType.SNAPSHOTS_HEALTHY,
            ConditionStatus.FALSE,
            FleetReason.SNAPSHOT_FAILED,
            "why",
            1L,
            NodeSample.NOW);

    Optional<ConditionProposal> proposal =
        SnapshotsHealthy.of(
            aFleet(1, A).status(status -> status.withConditions(conditions)).pass());

    assertThat(proposal.map(ConditionProposal::reason)).contains(FleetReason.NO_SCHEDULE);
  }

  private static FleetPass running(Phase phase, String error) {
    return reconcile(
        builder ->
            builder.active(
                FleetSnapshotsRunBuilder.builder()
                    .node("fleet-1")
                    .snapshot("s")
                    .phase(phase)
                    .deadline(NodeSample.NOW)
                    .error(error)
                    .build()));
  }

  private static FleetPass reconcile(Consumer<FleetSnapshotsBuilder> change) {
    FleetSnapshots record =
        FleetSnapshots.empty().withNextScheduleTime(NodeSample.NOW).with(change);
    return aFleet(1, A).status(status -> status.withSnapshots(record)).pass();
  }
}
