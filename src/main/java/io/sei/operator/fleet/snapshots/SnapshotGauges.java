package io.sei.operator.fleet.snapshots;

import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.observability.GaugeRow;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** PURE: what is measured of the snapshots of a fleet. */
final class SnapshotGauges {

  static final List<GaugeRow<SeiNodeDeployment>> TABLE =
      List.of(
          GaugeRow.value(
              "sei_snd_next_snapshot_seconds",
              "When the next snapshot is due, in seconds since 1970; in the past while it waits, absent"
                  + " without a schedule",
              fleet ->
                  of(fleet).map(FleetSnapshots::nextScheduleTime).map(Instant::getEpochSecond)),
          GaugeRow.value(
              "sei_snd_last_snapshot_seconds",
              "When the newest snapshot that is ready to use was taken, in seconds since 1970; absent"
                  + " before the first one",
              fleet ->
                  of(fleet)
                      .map(FleetSnapshots::latest)
                      .map(FleetSnapshots.Taken::creationTime)
                      .map(Instant::getEpochSecond)),
          GaugeRow.value(
              "sei_snd_snapshot_failures",
              "Snapshots that have failed since the schedule was set",
              fleet -> of(fleet).map(it -> Objects.requireNonNullElse(it.failures(), 0))));

  private SnapshotGauges() {}

  private static Optional<FleetSnapshots> of(SeiNodeDeployment fleet) {
    return Optional.ofNullable(fleet.getStatus().snapshots());
  }
}
