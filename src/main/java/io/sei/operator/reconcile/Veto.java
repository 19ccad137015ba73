package io.sei.operator.reconcile;

import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.plan.TaskOutcome;
import java.time.Duration;
import java.util.function.Supplier;

/** Answer of a feature before an irreversible act. */
public sealed interface Veto {

  /** The act may proceed. */
  record None() implements Veto {}

  /** The act may proceed in a later pass, once the status with the new record is written. */
  record WriteFirst() implements Veto {}

  /**
   * The act must not happen now.
   *
   * @param message what has to happen first, for a human
   * @param recheck when to ask again if no event comes first
   */
  record Refusal(Reason reason, String message, Duration recheck) implements Veto {}

  /** Returns no veto. */
  static Veto none() {
    return new None();
  }

  /** A veto until the status with the new record is written. */
  static Veto writeFirst() {
    return new WriteFirst();
  }

  /** A veto with its reason. */
  static Veto of(Reason reason, String message, Duration recheck) {
    return new Refusal(reason, message, recheck);
  }

  /** Returns whether the act may proceed now. */
  default boolean isNone() {
    return this instanceof None;
  }

  /** Acts unless vetoed; a vetoed plan task waits. */
  default TaskOutcome then(Supplier<TaskOutcome> act) {
    return switch (this) {
      case None _ -> act.get();
      case WriteFirst _ -> TaskOutcome.recording();
      case Refusal refusal ->
          TaskOutcome.waitFor(refusal.reason(), refusal.message(), refusal.recheck());
    };
  }
}
