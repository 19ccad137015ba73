package io.sei.operator.node.bootstrap;

import static io.sei.operator.progression.SidecarTaskTypes.CONFIGURE_STATE_SYNC;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.progression.Progression;
import io.sei.operator.render.Names;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarTask;
import java.util.Optional;
import java.util.Set;

/**
 * Decides whether the files on a volume that another node may have used are kept. The sidecar's
 * database is on the volume, so it knows whether state sync was ever configured there: only then
 * would files that are written again lose it for good. An attempt that failed leaves no marker.
 */
final class VolumeHistory {

  private VolumeHistory() {}

  /**
   * Fails a restore for another height than the volume was restored for. The sidecar restores once
   * in a volume's life, and completes a second restore without doing anything, whatever its height
   * (seen on every version from 0.0.50 to 0.0.70).
   */
  static Optional<TaskOutcome> restored(PlannedTask task, NodeReconcile reconcile) {
    return Progression.restoredHeight(task.params())
        .map(
            height ->
                new TaskOutcome.Fail(
                    "claim %s was already restored at height %d, and a volume is restored only once: set snapshot.s3.targetHeight back to %d, or delete the node with its claim"
                        .formatted(Names.claim(reconcile.node()), height, height)));
  }

  /** Captures what the sidecar says of it. */
  static Optional<TaskOutcome> check(
      PlannedTask task, NodeReconcile reconcile, Optional<SidecarClient> sidecar) {
    if (!Progression.isUndecided(task.params()) || sidecar.isEmpty()) {
      return Optional.empty();
    }
    Set<SidecarTask.Status> seen =
        sidecar.get().statuses(reconcile.sidecar(), CONFIGURE_STATE_SYNC);
    boolean configured =
        seen.contains(SidecarTask.Status.RUNNING) || seen.contains(SidecarTask.Status.COMPLETED);
    return Optional.of(new TaskOutcome.Captured(Progression.decided(task.params(), configured)));
  }
}
