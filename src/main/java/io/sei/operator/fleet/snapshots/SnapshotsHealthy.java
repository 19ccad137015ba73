package io.sei.operator.fleet.snapshots;

import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Run;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.reconcile.ConditionProposal;
import java.util.Optional;

/**
 * Says in the condition SnapshotsHealthy whether snapshots are taken as scheduled. It is False from
 * the first failure to the next success; waiting for nodes alone is no failure.
 */
final class SnapshotsHealthy {

  private SnapshotsHealthy() {}

  /** Returns the proposal; empty if there never was a schedule. */
  static Optional<ConditionProposal> of(FleetPass pass) {
    FleetSnapshots record = pass.draft().snapshots();
    if (record == null) {
      return pass.draft()
          .condition(FleetConditionType.SNAPSHOTS_HEALTHY)
          .map(
              it ->
                  ConditionProposal.yes(
                      FleetReason.NO_SCHEDULE, "spec.dataVolume.snapshots is not set"));
    }
    boolean well = record.message() == null;
    Optional<ConditionProposal> obstacle = pass.noted(ConditionProposal.class);
    if (record.active() != null && record.active().phase() != null) {
      return says(
          well,
          FleetReason.SNAPSHOT_IN_PROGRESS,
          progress(record.active()) + obstacle.map(it -> "; so far: " + it.message()).orElse(""));
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
                    retained(record).map(it -> "; " + it).orElse("")));
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
            surplus the storage keeps the data, until somebody deletes their VolumeSnapshotContents\
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
