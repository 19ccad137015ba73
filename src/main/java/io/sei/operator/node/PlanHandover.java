package io.sei.operator.node;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What one plan leaves to the next. */
public final class PlanHandover {

  private static final Duration RECHECK = Duration.ofSeconds(1);

  private final SidecarClient sidecar;

  public PlanHandover(SidecarClient sidecar) {
    this.sidecar = sidecar;
  }

  /**
   * Whether the sidecar no longer works for the old plan: what it may have been asked for is
   * cancelled and confirmed gone first, unless the next plan goes on with it. A sidecar that cannot
   * be asked holds up nothing, for the new plan may be what brings it back.
   */
  public boolean isClear(NodeWork work, TaskPlan old, TaskPlan next) {
    Set<String> goingOn =
        next.tasks().stream().map(PlannedTask::id).collect(Collectors.toUnmodifiableSet());
    try {
      for (PlannedTask task : perhapsSubmitted(old)) {
        if (goingOn.contains(task.id())) {
          continue;
        }
        if (!sidecar.cancel(work.sidecar(), task.id())) {
          work.recheckAfter(RECHECK);
          return false;
        }
      }
      return true;
    } catch (SidecarException e) {
      return true;
    }
  }

  /** What is recorded may be a step behind, so the tasks after the current one count as well. */
  private static List<PlannedTask> perhapsSubmitted(TaskPlan old) {
    boolean isAtSidecar =
        old != null
            && old.isActive()
            && old.currentTask().filter(task -> TaskTypes.isOfSidecar(task.type())).isPresent();
    return isAtSidecar
        ? old.tasks().stream().filter(task -> task.status() != TaskStatus.COMPLETE).toList()
        : List.of();
  }

  /** The plan whose completed tasks need not be done again; null if there is none. */
  public TaskPlan reusable(TaskPlan old, PlanKind next) {
    return old != null && old.kind() == next ? old : null;
  }
}
