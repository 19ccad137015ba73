package io.sei.operator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlansTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  private static final PlanTarget TARGET =
      new PlanTarget(1L, "v1:a", "sei:a", "s", null, null, null);

  @Test
  void newPlanHasNothingDone() {
    TaskPlan plan =
        Plans.create("p", spec(task("one", "x", true), task("two", "x", false)), 0, NOW);

    assertThat(plan.phase()).isEqualTo(PlanPhase.ACTIVE);
    assertThat(plan.attempt()).isNull();
    assertThat(plan.startedAt()).isEqualTo(NOW);
    assertThat(plan.target()).isEqualTo(TARGET);
    assertThat(plan.tasks()).extracting(PlannedTask::status).containsOnly(TaskStatus.PENDING);
    assertThat(plan.tasks())
        .extracting(PlannedTask::id)
        .containsExactly(TaskIds.of("p", "one", 0), TaskIds.of("p", "two", 1));
  }

  @Test
  void onlyReusableCompleteTasksWithEqualParamsAreKept() {
    TaskPlan old =
        complete(
            Plans.create(
                "old",
                spec(
                    task("same", "x", true),
                    task("other-params", "x", true),
                    task("not-reusable", "x", false)),
                0,
                NOW));
    PlanSpec next =
        spec(
            task("same", "x", true),
            task("other-params", "y", true),
            task("not-reusable", "x", false),
            task("new", "x", true));

    TaskPlan plan = Plans.supersede(old, "new", next, 2, NOW);

    assertThat(plan.attempt()).isEqualTo(2);
    assertThat(plan.tasks())
        .extracting(PlannedTask::status)
        .containsExactly(
            TaskStatus.COMPLETE, TaskStatus.PENDING, TaskStatus.PENDING, TaskStatus.PENDING);
    assertThat(plan.tasks())
        .extracting(PlannedTask::id)
        .containsExactly(
            TaskIds.of("old", "same", 0),
            TaskIds.of("new", "other-params", 1),
            TaskIds.of("new", "not-reusable", 2),
            TaskIds.of("new", "new", 3));
  }

  @Test
  void tasksThatWereNotCompleteStartAnew() {
    PlanSpec spec = spec(task("same", "x", true));
    TaskPlan old = Plans.create("old", spec, 0, NOW);

    TaskPlan plan = Plans.supersede(old, "new", spec, 0, NOW);

    assertThat(plan.tasks().get(0).id()).isEqualTo(TaskIds.of("new", "same", 0));
  }

  private static TaskSpec task(String type, String param, boolean reusable) {
    JsonNode params = JsonNodeFactory.instance.objectNode().put("param", param);
    return new TaskSpec(type, params, 0, reusable);
  }

  private static PlanSpec spec(TaskSpec... tasks) {
    return new PlanSpec(PlanKind.UPDATE, TARGET, List.of(tasks), NodePhase.RUNNING, null);
  }

  private static TaskPlan complete(TaskPlan plan) {
    return plan.withTasks(
        plan.tasks().stream().map(task -> task.withStatus(TaskStatus.COMPLETE)).toList());
  }
}
