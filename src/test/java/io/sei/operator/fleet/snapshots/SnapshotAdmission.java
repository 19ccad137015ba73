package io.sei.operator.fleet.snapshots;

import io.sei.operator.fleet.feature.FleetView;
import java.util.Optional;

/** Answers to tests of other packages which node is stopped for a snapshot that is due. */
public final class SnapshotAdmission {

  private SnapshotAdmission() {}

  public static Optional<String> of(FleetView fleet) {
    return SnapshotRuns.decide(fleet) instanceof SnapshotStep.Begin begin
        ? Optional.of(begin.begun().active().node())
        : Optional.empty();
  }
}
