package io.sei.operator.node;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarException;
import java.time.Duration;
import java.util.Optional;

/** What one plan leaves to the next. */
public final class PlanHandover {

  private static final Duration RECHECK = Duration.ofSeconds(1);

  private final SidecarClient sidecar;

  public PlanHandover(SidecarClient sidecar) {
    this.sidecar = sidecar;
  }

  /**
   * Whether the sidecar no longer works for the old plan: a task of it that still runs is cancelled
   * and confirmed gone first. A sidecar that cannot be asked holds up nothing, for the new plan may
   * be what brings it back.
   */
  public boolean isClear(NodeWork work, TaskPlan old) {
    Optional<PlannedTask> running =
        Optional.ofNullable(old)
            .filter(TaskPlan::isActive)
            .flatMap(TaskPlan::currentTask)
            .filter(task -> task.submittedAt() != null);
    if (running.isEmpty()) {
      return true;
    }
    try {
      if (sidecar.cancel(work.sidecar(), running.get().id())) {
        return true;
      }
      work.recheckAfter(RECHECK);
      return false;
    } catch (SidecarException e) {
      return true;
    }
  }

  /** The plan whose completed tasks need not be done again; null if there is none. */
  public TaskPlan reusable(TaskPlan old, PlanKind next) {
    return old != null && old.kind() == next ? old : null;
  }
}
