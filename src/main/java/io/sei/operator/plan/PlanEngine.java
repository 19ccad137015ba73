package io.sei.operator.plan;

import io.sei.operator.api.v1alpha1.FailedTaskDetail;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.api.v1alpha1.TaskStatus;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Runs plans. The engine holds nothing between steps: all it needs to know is in the plan, which
 * its caller persists after each step.
 *
 * @param <C> what the tasks work with
 */
public final class PlanEngine<C> {

  /** However long a task would wait for an event, its plan is looked at this often. */
  static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  private final Map<String, TaskType<C, ?>> types;
  private final BiFunction<RuntimeException, C, TaskOutcome> thrown;
  private final Clock clock;

  /**
   * @param thrown what comes of a task that throws, unless it is thrown on
   */
  public PlanEngine(
      List<TaskType<C, ?>> types,
      BiFunction<RuntimeException, C, TaskOutcome> thrown,
      Clock clock) {
    this.types = types.stream().collect(Collectors.toMap(TaskType::name, Function.identity()));
    this.thrown = thrown;
    this.clock = clock;
  }

  /**
   * A plan after a step.
   *
   * @param recheck when to step again if no event comes first; empty if the plan has to be written
   *     before anything else is done, as at its end
   */
  public record Step(TaskPlan plan, Optional<Duration> recheck) {}

  /** Returns whether this build can run every task of a plan, which another build may have made. */
  public boolean knows(TaskPlan plan) {
    return plan.tasks().stream().allMatch(task -> task != null && types.containsKey(task.type()));
  }

  /** The names of all types. */
  public Set<String> names() {
    return types.keySet();
  }

  /** The traits of a type; one that is not known is taken for one of the sidecar's. */
  public Traits traits(String type) {
    return types.containsKey(type) ? types.get(type).traits() : Traits.OF_SIDECAR;
  }

  /**
   * Runs tasks until one is not done. A plan that is not active is returned as it is.
   *
   * @throws RuntimeException what a task throws and is thrown on; the plan then stays as persisted
   */
  public Step step(TaskPlan plan, C context) {
    TaskPlan current = plan;
    while (current.isActive()) {
      Optional<PlannedTask> next = current.currentTask();
      if (next.isEmpty()) {
        return new Step(end(current, PlanPhase.COMPLETE), Optional.empty());
      }
      PlannedTask task = started(next.get());
      Optional<Duration> early = untilRetry(task);
      if (early.isPresent()) {
        return new Step(current, early);
      }
      TaskOutcome outcome = run(task, context);
      Optional<Step> stop = stop(current, next.get(), task, outcome);
      if (stop.isPresent()) {
        return stop.get();
      }
      current = replace(current, next.get(), completed(task));
    }
    return new Step(current, Optional.empty());
  }

  private TaskOutcome run(PlannedTask task, C context) {
    try {
      return types.get(task.type()).run(task, context);
    } catch (RuntimeException e) {
      return thrown.apply(e, context);
    }
  }

  /** Returns the plan after a task that is not done; empty if the task is done. */
  private Optional<Step> stop(
      TaskPlan plan, PlannedTask before, PlannedTask task, TaskOutcome outcome) {
    return switch (outcome) {
      case TaskOutcome.Done _ -> Optional.empty();
      case TaskOutcome.Wait wait ->
          Optional.of(
              new Step(replace(plan, before, waiting(task, wait)), Optional.of(bounded(wait))));
      case TaskOutcome.WriteFirst _ -> {
        PlannedTask recording = waiting(task, TaskReason.RECORDING, TaskOutcome.WriteFirst.MESSAGE);
        yield Optional.of(new Step(replace(plan, before, recording), Optional.empty()));
      }
      case TaskOutcome.Captured captured -> {
        PlannedTask complete =
            task.with(next -> next.params(captured.params()).reason(null).message(null));
        yield Optional.of(new Step(replace(plan, before, complete), Optional.empty()));
      }
      case TaskOutcome.Rewind rewind ->
          Optional.of(new Step(rewound(plan, rewind.taskType()), Optional.empty()));
      case TaskOutcome.Retry retry -> Optional.of(retried(plan, before, task, retry.cause()));
      case TaskOutcome.Repeat repeat ->
          Optional.of(
              repeated(plan, before, task, repeat.reason(), repeat.cause(), repeat.delay()));
      case TaskOutcome.Fail fail -> Optional.of(failed(plan, before, task, fail.cause()));
    };
  }

  private static Duration bounded(TaskOutcome.Wait wait) {
    return wait.recheck().compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait.recheck();
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS);
  }

  /**
   * A moment still to come was written before the clock was set back, and would pause deadlines.
   */
  private PlannedTask started(PlannedTask task) {
    Instant now = now();
    boolean known = task.startedAt() != null && !task.startedAt().isAfter(now);
    return known ? task : task.withStartedAt(now);
  }

  private Optional<Duration> untilRetry(PlannedTask task) {
    return Optional.ofNullable(task.retryAt())
        .map(retryAt -> Duration.between(clock.instant(), retryAt))
        .filter(left -> !left.isNegative() && !left.isZero())
        // A moment further away than any backoff was not written by an engine.
        .filter(left -> left.compareTo(Backoff.LONGEST_OF_TASKS) <= 0);
  }

  private static PlannedTask completed(PlannedTask task) {
    return task.with(
        done ->
            done.status(TaskStatus.COMPLETE).reason(null).message(null).error(null).retryAt(null));
  }

  private PlannedTask waiting(PlannedTask task, TaskOutcome.Wait wait) {
    Instant submittedAt =
        wait.submitted() && task.submittedAt() == null ? now() : task.submittedAt();
    return waiting(task.withSubmittedAt(submittedAt), wait.reason(), wait.message());
  }

  private static PlannedTask waiting(PlannedTask task, Reason reason, String message) {
    return task.with(waiting -> waiting.reason(reason.toString()).message(message).retryAt(null));
  }

  private static TaskPlan rewound(TaskPlan plan, String taskType) {
    var tasks = new ArrayList<PlannedTask>();
    boolean reached = false;
    for (PlannedTask task : plan.tasks()) {
      reached = reached || task.type().equals(taskType);
      tasks.add(
          reached
              ? task.with(
                  again ->
                      again
                          .status(TaskStatus.PENDING)
                          .startedAt(null)
                          .submittedAt(null)
                          .reason(null)
                          .message(null))
              : task);
    }
    return plan.withTasks(List.copyOf(tasks));
  }

  private Step retried(TaskPlan plan, PlannedTask before, PlannedTask task, String cause) {
    if (task.retries() >= task.retryBudget()) {
      return failed(plan, before, task, cause);
    }
    Duration delay = Backoff.OF_TASKS.after(task.retries() + 1);
    return repeated(plan, before, task, TaskReason.RETRYING, cause, delay);
  }

  private Step repeated(
      TaskPlan plan,
      PlannedTask before,
      PlannedTask task,
      Reason reason,
      String cause,
      Duration delay) {
    PlannedTask again =
        task.with(
            retried ->
                retried
                    .retryCount(task.retries() + 1)
                    .retryAt(now().plus(delay))
                    .submittedAt(null)
                    .reason(reason.toString())
                    .message(cause)
                    .error(cause));
    return new Step(replace(plan, before, again), Optional.of(delay));
  }

  private Step failed(TaskPlan plan, PlannedTask before, PlannedTask task, String cause) {
    PlannedTask failed =
        task.with(next -> next.status(TaskStatus.FAILED).error(cause).reason(null).message(null));
    TaskPlan ended =
        end(replace(plan, before, failed), PlanPhase.FAILED)
            .with(
                builder ->
                    builder
                        .failedTaskIndex(plan.tasks().indexOf(before))
                        .failedTaskDetail(
                            new FailedTaskDetail(
                                task.type(),
                                task.id(),
                                cause,
                                task.retries(),
                                task.retryBudget())));
    return new Step(ended, Optional.empty());
  }

  private TaskPlan end(TaskPlan plan, PlanPhase phase) {
    return plan.with(next -> next.phase(phase).finishedAt(now()));
  }

  private static TaskPlan replace(TaskPlan plan, PlannedTask before, PlannedTask after) {
    var tasks = new ArrayList<>(plan.tasks());
    tasks.set(tasks.indexOf(before), after);
    return plan.withTasks(List.copyOf(tasks));
  }
}
