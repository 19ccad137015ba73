package io.sei.operator.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Objects;

/** Counts what became of plans, from the difference between two of them. */
public final class PlanMetrics {

  private final MeterRegistry registry;
  private final Counter superseded;

  /**
   * @param tasks types of the tasks there are; each is counted from the start, with 0
   */
  public PlanMetrics(MeterRegistry registry, Collection<String> tasks) {
    this.registry = registry;
    this.superseded =
        Counter.builder("sei.plan.superseded")
            .description("Plans that gave way to a newer one before their end")
            .register(registry);
    tasks.forEach(this::failures);
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
        superseded.increment();
      }
      return;
    }
    for (int i = 0; i < after.tasks().size(); i++) {
      PlannedTask task = after.tasks().get(i);
      boolean completed =
          task.status() == TaskStatus.COMPLETE
              && before.tasks().get(i).status() != TaskStatus.COMPLETE;
      if (completed && task.startedAt() != null) {
        timer("sei.plan.task.duration", "How long tasks took that completed", "task", task.type())
            .record(elapsed(task.startedAt(), now));
      }
    }
    if (before.isActive() && !after.isActive()) {
      ended(after, now);
    }
  }

  private void ended(TaskPlan plan, Instant now) {
    if (plan.isFailed() && plan.failedTaskDetail() != null) {
      failures(plan.failedTaskDetail().type()).increment();
    }
    if (plan.startedAt() != null) {
      timer("sei.plan.duration", "How long plans took to their end", "plan", plan.kind().toString())
          .record(elapsed(plan.startedAt(), now));
    }
  }

  /** A step may begin in a later second than the reconcile that runs it; that is no time at all. */
  private static Duration elapsed(Instant from, Instant to) {
    return from.isAfter(to) ? Duration.ZERO : Duration.between(from, to);
  }

  private Counter failures(String task) {
    return Counter.builder("sei.plan.failures")
        .description("Plans that failed, by the task they failed at")
        .tag("task", task)
        .register(registry);
  }

  private Timer timer(String name, String help, String label, String value) {
    return Timer.builder(name).description(help).tag(label, value).register(registry);
  }
}
