package io.sei.operator.plan;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class PlanSpecTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  private static final PlanTarget TARGET =
      new PlanTarget(1L, "v1:a", "sei:a", "s", null, null, null);

  @Test
  void newPlanHasNothingDone() {
    TaskPlan plan = spec(task("one", "x"), task("two", "x")).create("p", NOW);

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
            spec(task("same", "x"), task("other-params", "x"), task("not-reusable", "x"))
                .create("old", NOW));
    PlanSpec next =
        spec(
            task("same", "x"),
            task("other-params", "y"),
            task("not-reusable", "x"),
            task("new", "x"));

    TaskPlan plan = next.supersede(old, taking(Traits.Reuse.COMPLETED), "new", 2, NOW);

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
    PlanSpec spec = spec(task("same", "x"));
    TaskPlan old = spec.create("old", NOW);

    TaskPlan plan = spec.supersede(old, taking(Traits.Reuse.COMPLETED), "new", 0, NOW);

    assertThat(plan.tasks().get(0).id()).isEqualTo(TaskIds.of("new", "same", 0));
  }

  @Test
  void taskThatSomebodyIsAtGoesOnAndIsDoneAgainOnceComplete() {
    PlanSpec spec = spec(task("restore", "x"));
    TaskPlan pending = spec.create("old", NOW);
    TaskPlan running =
        pending.withTasks(pending.tasks().stream().map(task -> task.withSubmittedAt(NOW)).toList());

    assertThat(ids(spec.supersede(running, taking(Traits.Reuse.RUNNING), "new", 0, NOW)))
        .isEqualTo(ids(pending));
    assertThat(ids(spec.supersede(pending, taking(Traits.Reuse.RUNNING), "new", 0, NOW)))
        .isNotEqualTo(ids(pending));
    assertThat(ids(spec.supersede(complete(running), taking(Traits.Reuse.RUNNING), "new", 0, NOW)))
        .isNotEqualTo(ids(pending));
  }

  @Test
  void numbersThatWereStoredAreTheSame() {
    var planned = JsonNodeFactory.instance.objectNode().put("height", 5L);
    var stored = JsonNodeFactory.instance.objectNode().put("height", 5);
    PlanSpec spec = spec(new Step("same", planned));
    TaskPlan old = complete(spec.create("old", NOW));
    TaskPlan read =
        old.withTasks(old.tasks().stream().map(task -> task.withParams(stored)).toList());

    assertThat(ids(spec.supersede(read, taking(Traits.Reuse.COMPLETED), "new", 0, NOW)))
        .isEqualTo(ids(old));
  }

  private static List<String> ids(TaskPlan plan) {
    return plan.tasks().stream().map(PlannedTask::id).toList();
  }

  private static Step task(String type, String param) {
    return new Step(type, JsonNodeFactory.instance.objectNode().put("param", param));
  }

  private static Function<String, Traits> taking(Traits.Reuse reuse) {
    return type ->
        new Traits(false, false, true, type.equals("not-reusable") ? Traits.Reuse.NONE : reuse, 0);
  }

  private static PlanSpec spec(Step... tasks) {
    return new PlanSpec(PlanKind.UPDATE, TARGET, List.of(tasks), NodePhase.RUNNING, null);
  }

  private static TaskPlan complete(TaskPlan plan) {
    return plan.withTasks(
        plan.tasks().stream().map(task -> task.withStatus(TaskStatus.COMPLETE)).toList());
  }
}
