package io.sei.operator.fleet.snapshots;

import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Run;
import java.time.Duration;
import java.util.Optional;

/** Next step of a fleet's snapshots. */
sealed interface SnapshotStep {

  /** No step until then; none at all without a schedule. */
  record Rest(Optional<Duration> until) implements SnapshotStep {}

  /** The record changes; null if there is none any more. */
  record Persist(FleetSnapshots record) implements SnapshotStep {}

  /** A snapshot is due, and something is in the way. */
  record Wait(String why) implements SnapshotStep {}

  /**
   * A snapshot is due, and its node may be stopped.
   *
   * @param begun the record once it is begun
   * @param skipped the record if it turns out to be there already
   */
  record Begin(FleetSnapshots begun, FleetSnapshots skipped) implements SnapshotStep {}

  /** A snapshot is in progress. */
  record Advance(Run run) implements SnapshotStep {}
}
