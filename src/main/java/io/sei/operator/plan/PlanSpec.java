package io.sei.operator.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.PlannedTaskBuilder;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskPlanBuilder;
import io.sei.operator.api.v1alpha1.TaskStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A plan to be made.
 *
 * @param failedPhase phase of the owner if the plan fails; null leaves it as it is
 */
public record PlanSpec(
    PlanKind kind,
    PlanTarget target,
    List<Step> tasks,
    NodePhase targetPhase,
    NodePhase failedPhase) {

  /** A new plan, nothing of it done, whose tasks are never repeated. */
  public TaskPlan create(String id, Instant now) {
    return supersede(null, type -> Traits.OF_OPERATOR, id, 0, now);
  }

  /**
   * A new plan in place of {@code old}: tasks that are taken over keep their id and status,
   * everything else starts over.
   *
   * @param old the plan to take over from, or null
   * @param traits those of a type of task
   * @param attempt how many plans for the same target failed before
   */
  public TaskPlan supersede(
      TaskPlan old, Function<String, Traits> traits, String id, int attempt, Instant now) {
    List<PlannedTask> planned = new ArrayList<>();
    for (Step task : tasks) {
      Traits its = traits.apply(task.type());
      planned.add(
          begunBefore(old, task, its.reuse())
              .orElseGet(() -> planned(id, task, its.retries(), planned.size())));
    }
    return TaskPlanBuilder.builder()
        .id(id)
        .kind(kind)
        .phase(PlanPhase.ACTIVE)
        .target(target)
        .attempt(attempt == 0 ? null : attempt)
        .startedAt(now)
        .tasks(List.copyOf(planned))
        .targetPhase(targetPhase)
        .failedPhase(failedPhase)
        .build();
  }

  private static PlannedTask planned(String planId, Step task, int retries, int index) {
    return PlannedTaskBuilder.builder()
        .type(task.type())
        .id(TaskIds.of(planId, task.type(), index))
        .status(TaskStatus.PENDING)
        .params(task.params())
        .maxRetries(retries == 0 ? null : retries)
        .build();
  }

  private static boolean isTakenOver(PlannedTask done, Traits.Reuse reuse) {
    boolean complete = done.status() == TaskStatus.COMPLETE;
    return switch (reuse) {
      case NONE -> false;
      case COMPLETED -> complete;
      case RUNNING -> !complete && done.submittedAt() != null;
    };
  }

  /** Parameters that were stored and read again may have numbers of another Java type. */
  private static boolean isSame(JsonNode stored, JsonNode planned) {
    return stored == null || planned == null
        ? stored == planned
        : stored.equals(
            (a, b) -> a.equals(b) || (a.isNumber() && a.asText().equals(b.asText())) ? 0 : 1,
            planned);
  }

  private static Optional<PlannedTask> begunBefore(TaskPlan old, Step task, Traits.Reuse reuse) {
    if (old == null) {
      return Optional.empty();
    }
    return old.tasks().stream()
        .filter(done -> isTakenOver(done, reuse))
        .filter(done -> done.type().equals(task.type()))
        .filter(done -> isSame(done.params(), task.params()))
        .findFirst();
  }
}
