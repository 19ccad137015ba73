package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.fabric8.generator.annotation.Required;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A list of tasks that runs to the end, persisted before its first task does anything, so that any
 * crash resumes and any observer can read where it stands.
 *
 * @param target what the plan was made for; absent in a plan of the Go operator
 * @param attempt how many plans for the same target came before this one
 */
@RecordBuilder
public record TaskPlan(
    String id,
    PlanKind kind,
    @Required PlanPhase phase,
    PlanTarget target,
    Integer attempt,
    Instant startedAt,
    Instant finishedAt,
    @Required List<PlannedTask> tasks,
    NodePhase targetPhase,
    NodePhase failedPhase,
    Integer failedTaskIndex,
    FailedTaskDetail failedTaskDetail)
    implements TaskPlanBuilder.With {

  /** A plan that another program stored may lack what the schema requires. */
  public TaskPlan {
    tasks = tasks == null ? List.of() : tasks;
  }

  /** Returns whether the plan still has work to do. */
  @JsonIgnore
  public boolean isActive() {
    return phase == PlanPhase.ACTIVE;
  }

  /** Returns whether the plan ended without reaching its target. */
  @JsonIgnore
  public boolean isFailed() {
    return phase == PlanPhase.FAILED;
  }

  /** The first task that is not complete, if there is one. */
  public Optional<PlannedTask> currentTask() {
    return tasks.stream().filter(task -> task.status() != TaskStatus.COMPLETE).findFirst();
  }
}
