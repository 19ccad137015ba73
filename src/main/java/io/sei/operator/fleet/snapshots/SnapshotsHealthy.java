package io.sei.operator.fleet.snapshots;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.kube.ObjectEvent.warning;

import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Run;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.reconcile.ConditionProposal;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * PURE: condition SnapshotsHealthy, which reports whether snapshots are taken as scheduled, with
 * its Events and gauges. It is False from the first failure to the next success; waiting for nodes
 * alone is no failure.
 */
final class SnapshotsHealthy {

  private SnapshotsHealthy() {}

  /** Adds the condition, its Events and its gauges. */
  static void addTo(FleetConditionParts conditions) {
    conditions
        .report(SnapshotsHealthy::report)
        .event(SnapshotsHealthy::events)
        .gauge(
            gauge(
                "sei_snd_next_snapshot_seconds",
                "When the next snapshot is due, in seconds since 1970; in the past while it waits,"
                    + " absent without a schedule",
                record -> seconds(record.nextScheduleTime())))
        .gauge(
            gauge(
                "sei_snd_last_snapshot_seconds",
                "When the newest snapshot that is ready to use was taken, in seconds since 1970;"
                    + " absent before the first one",
                record -> record.latest() == null ? null : seconds(record.latest().creationTime())))
        .gauge(
            gauge(
                "sei_snd_snapshot_failures",
                "Snapshots that have failed since the schedule was set",
                record -> Objects.requireNonNullElse(record.failures(), 0)));
  }

  /** A gauge of what is recorded of a fleet's snapshots; absent while that is null. */
  private static GaugeRow<SeiNodeDeployment> gauge(
      String name, String help, Function<FleetSnapshots, Number> value) {
    return GaugeRow.value(
        name, help, fleet -> Optional.ofNullable(fleet.getStatus().snapshots()).map(value));
  }

  private static Long seconds(Instant moment) {
    return moment == null ? null : moment.getEpochSecond();
  }

  private static void report(FleetPass pass) {
    of(pass).ifPresent(proposal -> pass.offer(FleetConditionType.SNAPSHOTS_HEALTHY, proposal));
  }

  /** The Events of a change. */
  private static Stream<ObjectEvent> events(
      SeiNodeDeploymentStatus old, SeiNodeDeploymentStatus now) {
    FleetSnapshots before = old.snapshots() == null ? FleetSnapshots.empty() : old.snapshots();
    FleetSnapshots after = now.snapshots() == null ? FleetSnapshots.empty() : now.snapshots();
    var events = Stream.<ObjectEvent>builder();
    if (after.active() != null && before.active() == null) {
      events.add(
          normal(
              "SnapshotStarted",
              "stopping node %s for VolumeSnapshot %s"
                  .formatted(after.active().node(), after.active().snapshot())));
    }
    if (after.latest() != null && !after.latest().equals(before.latest())) {
      events.add(
          normal(
              "SnapshotTaken",
              "VolumeSnapshot %s of node %s is ready to use"
                  .formatted(after.latest().name(), after.latest().node())));
    }
    if (!Objects.equals(after.retainingClass(), before.retainingClass())) {
      retained(after).ifPresent(costs -> events.add(warning("SnapshotsRetained", costs)));
    }
    if (after.failures() != null && !after.failures().equals(before.failures())) {
      events.add(warning("SnapshotFailed", after.message()));
    }
    return events.build();
  }

  /** Returns the proposal; empty if there never was a schedule. */
  static Optional<ConditionProposal> of(FleetPass pass) {
    FleetSnapshots record = pass.draft().snapshots();
    if (record == null) {
      return pass.draft()
          .condition(FleetConditionType.SNAPSHOTS_HEALTHY)
          .map(
              condition ->
                  ConditionProposal.yes(
                      FleetReason.NO_SCHEDULE, "spec.dataVolume.snapshots is not set"));
    }
    boolean well = record.message() == null;
    Optional<ConditionProposal> obstacle = pass.noted(ConditionProposal.class);
    if (record.active() != null && record.active().phase() != null) {
      return says(
          well,
          FleetReason.SNAPSHOT_IN_PROGRESS,
          progress(record.active())
              + obstacle.map(proposal -> "; so far: " + proposal.message()).orElse(""));
    }
    if (obstacle.isPresent()) {
      boolean waits = obstacle.get().reason() == FleetReason.SNAPSHOT_WAITING;
      return says(
          well && waits,
          obstacle.get().reason(),
          "due since %s: %s".formatted(record.nextScheduleTime(), obstacle.get().message()));
    }
    if (!well) {
      return says(false, FleetReason.SNAPSHOT_FAILED, record.message() + afterFailure(record));
    }
    return record.latest() == null
        ? says(
            true,
            FleetReason.SNAPSHOT_SCHEDULED,
            "the first one is due at " + record.nextScheduleTime())
        : says(
            true,
            FleetReason.SNAPSHOT_TAKEN,
            "VolumeSnapshot %s was taken at %s; the next one is due at %s%s"
                .formatted(
                    record.latest().name(),
                    record.latest().creationTime(),
                    record.nextScheduleTime(),
                    retained(record).map(text -> "; " + text).orElse("")));
  }

  private static String afterFailure(FleetSnapshots record) {
    return record.suspended() == null
        ? "; next attempt at " + record.nextScheduleTime()
        : "; no node is stopped for a snapshot again until spec.dataVolume.snapshots is changed, or"
            + " the fleet's annotation sei.io/retry has a new value";
  }

  /** Returns the cost of deleting snapshots of a class; empty without any. */
  static Optional<String> retained(FleetSnapshots record) {
    return Optional.ofNullable(record.retainingClass())
        .map(
            """
            VolumeSnapshotClass %s has deletionPolicy Retain: of the snapshots that are deleted as \
            surplus the storage keeps the data, until an administrator sets spec.deletionPolicy of \
            their VolumeSnapshotContents to Delete, and deletes these\
            """
                ::formatted);
  }

  private static String progress(Run run) {
    if (run.error() != null) {
      return "%s; node %s starts again".formatted(run.error(), run.node());
    }
    return switch (run.phase()) {
      case STOPPING, TAKING ->
          "node %s is stopped for VolumeSnapshot %s until %s at the latest"
              .formatted(run.node(), run.snapshot(), run.deadline());
      case STARTING ->
          "VolumeSnapshot %s is taken; node %s starts again".formatted(run.snapshot(), run.node());
      case FINISHING ->
          "VolumeSnapshot %s is taken and not ready to use yet; node %s is back"
              .formatted(run.snapshot(), run.node());
    };
  }

  private static Optional<ConditionProposal> says(boolean value, Reason reason, String message) {
    return Optional.of(ConditionProposal.of(value, reason, message));
  }
}
