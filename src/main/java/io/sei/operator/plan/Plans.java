package io.sei.operator.plan;

import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.PlannedTaskBuilder;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskPlanBuilder;
import io.sei.operator.api.v1alpha1.TaskStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Makes plans. */
public final class Plans {

  private Plans() {}

  /** A new plan, nothing of it done. */
  public static TaskPlan create(String id, PlanSpec spec, int attempt, Instant now) {
    return supersede(null, id, spec, attempt, now);
  }

  /**
   * A new plan in the place of {@code old}: completed tasks that are reusable and have the same
   * params keep their id and status, everything else starts anew.
   */
  public static TaskPlan supersede(
      TaskPlan old, String id, PlanSpec spec, int attempt, Instant now) {
    List<PlannedTask> tasks = new ArrayList<>();
    for (TaskSpec task : spec.tasks()) {
      tasks.add(completedBefore(old, task).orElseGet(() -> planned(id, task, tasks.size())));
    }
    return TaskPlanBuilder.builder()
        .id(id)
        .kind(spec.kind())
        .phase(PlanPhase.ACTIVE)
        .target(spec.target())
        .attempt(attempt == 0 ? null : attempt)
        .startedAt(now)
        .tasks(List.copyOf(tasks))
        .targetPhase(spec.targetPhase())
        .failedPhase(spec.failedPhase())
        .build();
  }

  private static PlannedTask planned(String planId, TaskSpec task, int index) {
    return PlannedTaskBuilder.builder()
        .type(task.type())
        .id(TaskIds.of(planId, task.type(), index))
        .status(TaskStatus.PENDING)
        .params(task.params())
        .maxRetries(task.maxRetries() == 0 ? null : task.maxRetries())
        .build();
  }

  private static Optional<PlannedTask> completedBefore(TaskPlan old, TaskSpec task) {
    if (old == null || !task.reusable()) {
      return Optional.empty();
    }
    return old.tasks().stream()
        .filter(done -> done.status() == TaskStatus.COMPLETE)
        .filter(done -> done.type().equals(task.type()))
        .filter(done -> Objects.equals(done.params(), task.params()))
        .findFirst();
  }
}
