package io.sei.operator.reconcile;

import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.plan.TaskOutcome;
import java.time.Duration;
import java.util.function.Supplier;

/** Whether something may be done that cannot be taken back. */
public sealed interface Permit {

  /** It may be done now. */
  record Yes() implements Permit {}

  /** It may be done once what was just recorded is in the status. */
  record WriteFirst() implements Permit {}

  /**
   * It may not be done.
   *
   * @param message what has to happen first, for a human
   * @param recheck when to ask again if no event comes first
   */
  record No(Reason reason, String message, Duration recheck) implements Permit {}

  /** It may be done now. */
  static Permit yes() {
    return new Yes();
  }

  /** It may be done once what was just recorded is in the status. */
  static Permit writeFirst() {
    return new WriteFirst();
  }

  /** It may not be done. */
  static Permit no(Reason reason, String message, Duration recheck) {
    return new No(reason, message, recheck);
  }

  /** Whether it may be done now. */
  default boolean isGiven() {
    return this instanceof Yes;
  }

  /** What comes of a task that does it, or waits until it may. */
  default TaskOutcome then(Supplier<TaskOutcome> deed) {
    return switch (this) {
      case Yes _ -> deed.get();
      case WriteFirst _ -> TaskOutcome.recording();
      case No no -> TaskOutcome.waitFor(no.reason(), no.message(), no.recheck());
    };
  }
}
