package io.sei.operator.observability;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** Counts what became of plans, from the difference between two of them. */
public final class PlanMetrics {

  private final MeterRegistry registry;

  public PlanMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * Notes the step from one plan to the next; either may be null.
   *
   * @param after the plan as the reconcile left it, also if it is not kept
   */
  public void observe(TaskPlan before, TaskPlan after, Instant now) {
    if (after == null || after.equals(before)) {
      return;
    }
    boolean samePlan = before != null && Objects.equals(before.id(), after.id());
    if (!samePlan) {
      if (before != null && before.isActive()) {
        registry.counter("sei.plan.superseded").increment();
      }
      return;
    }
    for (int i = 0; i < after.tasks().size(); i++) {
      PlannedTask task = after.tasks().get(i);
      boolean completed =
          task.status() == TaskStatus.COMPLETE
              && before.tasks().get(i).status() != TaskStatus.COMPLETE;
      if (completed && task.startedAt() != null) {
        timer("sei.plan.task.duration", "task", task.type()).record(elapsed(task.startedAt(), now));
      }
    }
    if (before.isActive() && !after.isActive()) {
      ended(after, now);
    }
  }

  private void ended(TaskPlan plan, Instant now) {
    if (plan.isFailed() && plan.failedTaskDetail() != null) {
      registry.counter("sei.plan.failures", "task", plan.failedTaskDetail().type()).increment();
    }
    if (plan.startedAt() != null) {
      timer("sei.plan.duration", "plan", plan.kind().toString())
          .record(elapsed(plan.startedAt(), now));
    }
  }

  /** A step may begin in a later second than the reconcile that runs it; that is no time at all. */
  private static Duration elapsed(Instant from, Instant to) {
    return from.isAfter(to) ? Duration.ZERO : Duration.between(from, to);
  }

  private Timer timer(String name, String label, String value) {
    return Timer.builder(name).tag(label, value).register(registry);
  }
}
