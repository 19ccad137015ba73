package io.sei.operator.node.config;

import static io.sei.operator.plan.SidecarTaskTypes.CONFIGURE_STATE_SYNC;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarTask;
import java.util.Optional;
import java.util.Set;

/**
 * Decides whether the files on a volume that another node may have used are kept. The sidecar's
 * database is on the volume, so it knows whether state sync was ever configured there: only then
 * would writing the files again lose that configuration. An attempt that failed leaves no marker.
 */
final class VolumeHistory {

  private VolumeHistory() {}

  /** Captures the answer of the sidecar about the volume. */
  static Optional<TaskOutcome> check(
      PlannedTask task, NodePass pass, Optional<SidecarClient> sidecar) {
    if (!ConfigApply.isUndecided(task.params()) || sidecar.isEmpty()) {
      return Optional.empty();
    }
    Set<SidecarTask.Status> seen = sidecar.get().statuses(pass.sidecar(), CONFIGURE_STATE_SYNC);
    boolean configured =
        seen.contains(SidecarTask.Status.RUNNING) || seen.contains(SidecarTask.Status.COMPLETED);
    return Optional.of(new TaskOutcome.Captured(ConfigApply.decided(task.params(), configured)));
  }
}
