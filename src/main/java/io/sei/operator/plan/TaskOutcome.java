package io.sei.operator.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.api.v1alpha1.Reason;
import java.time.Duration;
import java.util.function.Supplier;

/** Outcome of running a task once. */
public sealed interface TaskOutcome {

  /** The task is complete; the next one runs in the same step. */
  record Done() implements TaskOutcome {}

  /**
   * The task waits without an error. Costs no retry and never fails by time.
   *
   * @param message what is waited for, for a human
   * @param recheck when to look again if no event comes first
   * @param submitted whether the sidecar has accepted the task
   */
  record Wait(Reason reason, String message, Duration recheck, boolean submitted)
      implements TaskOutcome {}

  /**
   * The task has captured its parameters. They are recorded before the task runs again, and does
   * not change any more.
   */
  record Captured(JsonNode params) implements TaskOutcome {}

  /** The task recorded something, which is written before anything else happens. */
  record WriteFirst() implements TaskOutcome {

    static final String MESSAGE = "recording what is done next";
  }

  /** The result of an earlier task does not hold any more; the plan goes back to that task. */
  record Rewind(String taskType, String message) implements TaskOutcome {}

  /** The attempt failed; it counts against the task's retries. */
  record Retry(String cause) implements TaskOutcome {}

  /**
   * The attempt failed; it is repeated after a delay, for as long as the plan lasts.
   *
   * @param delay at most {@link Backoff#LONGEST_OF_TASKS}
   */
  record Repeat(Reason reason, String cause, Duration delay) implements TaskOutcome {}

  /** The task can never succeed for this target; ends the plan. */
  record Fail(String cause) implements TaskOutcome {}

  /** Returns whether the task is complete. */
  default boolean isDone() {
    return this instanceof Done;
  }

  /** Returns the next outcome, or this one if the task is not complete. */
  default TaskOutcome then(Supplier<TaskOutcome> next) {
    return isDone() ? next.get() : this;
  }

  /** The task is complete. */
  static TaskOutcome done() {
    return new Done();
  }

  /** Waits for an event, looking again after {@code recheck} at the latest. */
  static TaskOutcome waitFor(Reason reason, String message, Duration recheck) {
    return new Wait(reason, message, recheck, false);
  }

  /** Writes a new record before anything else happens. */
  static TaskOutcome recording() {
    return new WriteFirst();
  }

  /** Waits for work that the sidecar has accepted. */
  static TaskOutcome submitted(Reason reason, String message, Duration recheck) {
    return new Wait(reason, message, recheck, true);
  }
}
