package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A list of tasks that runs to the end, persisted before its first task does anything, so that any
 * crash resumes and any observer can read where it stands.
 */
@RecordBuilder
public record TaskPlan(
    String id,
    @JsonPropertyDescription("Purpose of the plan.") PlanKind kind,
    @Required @JsonPropertyDescription("Progress of the plan.") PlanPhase phase,
    @JsonPropertyDescription("What the plan was made for; unset in a plan of the Go operator.")
        PlanTarget target,
    @JsonPropertyDescription("Number of earlier plans for the same target.") Integer attempt,
    Instant startedAt,
    Instant finishedAt,
    @Required @JsonPropertyDescription("Tasks of the plan, in their order.")
        List<PlannedTask> tasks,
    @JsonPropertyDescription("Phase of the node after the plan.") NodePhase targetPhase,
    @JsonPropertyDescription("Phase of the node after a failure.") NodePhase failedPhase,
    Integer failedTaskIndex,
    @JsonPropertyDescription("The task that failed.") FailedTaskDetail failedTaskDetail)
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
