package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.PlannedTaskBuilder;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskPlanBuilder;
import io.sei.operator.api.v1alpha1.TaskStatus;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanMetricsTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:10Z");

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final PlanMetrics metrics = new PlanMetrics(registry, List.of("mark-ready"));

  @Test
  void taskThatBeganInTheSecondAfterTheReconcileTookNoTime() {
    metrics.observe(
        plan(PlanPhase.ACTIVE, task(TaskStatus.PENDING, null)),
        plan(PlanPhase.COMPLETE, task(TaskStatus.COMPLETE, NOW.plusSeconds(1))),
        NOW);

    Timer timer = registry.get("sei.plan.task.duration").tag("task", "mark-ready").timer();
    assertThat(timer.count()).isOne();
    assertThat(timer.totalTime(timer.baseTimeUnit())).isZero();
  }

  private static PlannedTask task(TaskStatus status, Instant startedAt) {
    return PlannedTaskBuilder.builder()
        .type("mark-ready")
        .id("1")
        .status(status)
        .startedAt(startedAt)
        .build();
  }

  private static TaskPlan plan(PlanPhase phase, PlannedTask task) {
    return TaskPlanBuilder.builder()
        .id("p")
        .kind(PlanKind.MARK_READY)
        .phase(phase)
        .tasks(List.of(task))
        .build();
  }
}
