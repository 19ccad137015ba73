package io.sei.operator.fleet.snapshots;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.kube.ObjectEvent.warning;

import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.kube.ObjectEvent;
import java.util.Objects;
import java.util.stream.Stream;

/** PURE: what Events tell of snapshots. */
final class SnapshotEvents {

  private SnapshotEvents() {}

  /** The Events of a change. */
  static Stream<ObjectEvent> between(SeiNodeDeploymentStatus old, SeiNodeDeploymentStatus now) {
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
      SnapshotsHealthy.retained(after)
          .ifPresent(it -> events.add(warning("SnapshotsRetained", it)));
    }
    if (after.failures() != null && !after.failures().equals(before.failures())) {
      events.add(warning("SnapshotFailed", after.message()));
    }
    return events.build();
  }
}
