package io.sei.operator.node;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.SidecarAbilities;
import io.sei.operator.node.objects.BootstrapTasks;
import io.sei.operator.plan.Traits;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarException;
import io.sei.operator.sidecar.SidecarTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * State that one plan passes to the next. Two tasks that write a volume never run side by side: in
 * the place of the pod, what it was asked for ends with it; else the sidecar is waited for.
 *
 * @param traits of a type of task, known or not
 */
public record PlanHandover(SidecarClient sidecar, Function<String, Traits> traits) {

  private static final Duration RECHECK = Duration.ofMillis(500);

  /** A backstop: the node is woken when the sidecar answers. */
  private static final Duration REPEATED = Duration.ofSeconds(30);

  /**
   * Returns the old plan updated by its sidecar, since the record may be a step behind. Unchanged
   * if the sidecar cannot be asked.
   */
  public TaskPlan observed(NodePass pass, TaskPlan old) {
    List<PlannedTask> asked = perhapsSubmitted(old);
    if (asked.isEmpty()) {
      return old;
    }
    var tasks = new ArrayList<PlannedTask>();
    try {
      for (PlannedTask task : old.tasks()) {
        tasks.add(asked.contains(task) ? observed(pass, task) : task);
      }
      return old.withTasks(List.copyOf(tasks));
    } catch (SidecarException e) {
      return old;
    }
  }

  private PlannedTask observed(NodePass pass, PlannedTask task) {
    Optional<SidecarTask> known = sidecar.lookup(pass.sidecar(), task.id());
    return known
        .map(
            sidecarTask ->
                task.with(
                    seen ->
                        seen.startedAt(pass.view().now())
                            .submittedAt(
                                sidecarTask.status() == SidecarTask.Status.FAILED
                                    ? null
                                    : pass.view().now())
                            .status(
                                sidecarTask.status() == SidecarTask.Status.COMPLETED
                                    ? TaskStatus.COMPLETE
                                    : task.status())))
        .orElse(task.withSubmittedAt(null));
  }

  /**
   * Returns whether the next plan may begin: no task of the old one runs any more, unless the next
   * plan continues it. The old plan is as {@link #observed} and the next one made from it. A
   * sidecar that does not answer delays nothing where the next plan replaces its pod, since that
   * may repair it.
   */
  public boolean isClear(NodePass pass, TaskPlan old, TaskPlan next) {
    Set<String> goingOn = ids(next.tasks());
    List<PlannedTask> left =
        perhapsSubmitted(old).stream().filter(task -> !goingOn.contains(task.id())).toList();
    boolean endsWithItsPod = isReplaced(old, next);
    boolean mayBeUnknown = endsWithItsPod || !isAtSidecar(old);
    return left.stream().allMatch(task -> isClear(pass, task, endsWithItsPod, mayBeUnknown));
  }

  /** A plan of another operator does not say what its pod was made for. */
  private static boolean isReplaced(TaskPlan old, TaskPlan next) {
    return old != null
        && (old.target() == null
            || !next.target().specHash().equals(old.target().specHash())
            || !BootstrapTasks.run(old).equals(BootstrapTasks.run(next)));
  }

  private boolean isClear(
      NodePass pass, PlannedTask task, boolean endsWithItsPod, boolean mayBeUnknown) {
    Duration recheck = RECHECK;
    try {
      if (endsWithItsPod ? isForgotten(pass, task) : isOver(pass, task)) {
        return true;
      }
    } catch (SidecarException e) {
      if (isNothingLeft(e.kind(), mayBeUnknown)) {
        return true;
      }
      recheck = e.isRepeated() ? REPEATED : RECHECK;
    }
    pass.recheckAfter(recheck);
    return false;
  }

  private static boolean isNothingLeft(SidecarException.Kind kind, boolean mayBeUnknown) {
    return switch (kind) {
      // An id that no sidecar takes was given to none.
      case REJECTED -> true;
      case BUSY, BLIND -> false;
      case UNREACHABLE, WITHHELD, FORBIDDEN, UNSUPPORTED -> mayBeUnknown;
    };
  }

  /**
   * Before v0.0.66 the work continues until the pod ends; a forgotten task is not started again.
   */
  private boolean isForgotten(NodePass pass, PlannedTask task) {
    return sidecar.cancel(pass.sidecar(), task.id());
  }

  private boolean isOver(NodePass pass, PlannedTask task) {
    Optional<SidecarTask> known = sidecar.lookup(pass.sidecar(), task.id());
    if (known.filter(candidate -> candidate.status() == SidecarTask.Status.RUNNING).isEmpty()) {
      // One that was seen to run has ended since, and the next plan was made without knowing that.
      return task.submittedAt() == null;
    }
    Traits its = traits.apply(task.type());
    boolean isToEnd = !its.writesVolume() || (!its.ends() && cancels(pass));
    return isToEnd && sidecar.cancel(pass.sidecar(), task.id());
  }

  private boolean cancels(NodePass pass) {
    if (!SidecarAbilities.can(pass.view(), SidecarClient.KNOWN_SINCE_CANCEL)) {
      return false;
    }
    boolean cancels = sidecar.cancelsTasks(pass.sidecar());
    if (!cancels) {
      SidecarAbilities.addLack(pass, SidecarClient.KNOWN_SINCE_CANCEL);
    }
    return cancels;
  }

  private static Set<String> ids(List<PlannedTask> tasks) {
    return tasks.stream().map(PlannedTask::id).collect(Collectors.toUnmodifiableSet());
  }

  private boolean isAtSidecar(TaskPlan plan) {
    return plan != null
        && plan.currentTask().filter(task -> traits.apply(task.type()).ofSidecar()).isPresent();
  }

  /** The record may be some steps behind, so the tasks after the current one count as well. */
  private List<PlannedTask> perhapsSubmitted(TaskPlan old) {
    return old != null && old.isActive()
        ? old.tasks().stream()
            .filter(task -> task != null && task.id() != null)
            .filter(task -> task.status() != TaskStatus.COMPLETE)
            .filter(task -> traits.apply(task.type()).ofSidecar())
            .toList()
        : List.of();
  }

  /** The plan whose completed tasks need not be done again; null if there is none. */
  public TaskPlan reusable(TaskPlan old, PlanKind next) {
    return old != null && old.kind() == next ? old : null;
  }
}
