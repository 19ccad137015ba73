package io.sei.operator.node.task;

import static io.sei.operator.progression.SidecarTaskTypes.CONFIGURE_STATE_SYNC;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.progression.Progression;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarTask;
import java.util.Optional;
import java.util.Set;

/**
 * Decides whether the files on a volume that another node may have used are kept. The sidecar's
 * database is on the volume, so it knows whether state sync was ever configured there: only then
 * would files that are written anew lose it for good. An attempt that failed leaves no marker.
 */
public final class VolumeHistory implements Guard {

  private final SidecarClient sidecar;

  public VolumeHistory(SidecarClient sidecar) {
    this.sidecar = sidecar;
  }

  @Override
  public Optional<TaskOutcome> check(PlannedTask task, NodeReconcile reconcile) {
    if (!Progression.isUndecided(task.params()) || !BootstrapRun.hasSidecar(task, reconcile)) {
      return Optional.empty();
    }
    Set<SidecarTask.Status> seen = sidecar.statuses(reconcile.sidecar(), CONFIGURE_STATE_SYNC);
    boolean configured =
        seen.contains(SidecarTask.Status.RUNNING) || seen.contains(SidecarTask.Status.COMPLETED);
    return Optional.of(new TaskOutcome.Captured(Progression.decided(task.params(), configured)));
  }
}
