package io.sei.operator.reconcile;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Tells how a pass continues after a step. */
public sealed interface Next {

  /** The next step may follow. */
  record GoOn() implements Next {}

  /**
   * The status is written before anything else is done.
   *
   * @param by which step asks for it, in one word
   */
  record WriteFirst(String by) implements Next {}

  /**
   * Ends the reconcile.
   *
   * @param recheck when another reconcile follows if no event comes first
   */
  record Rest(Optional<Duration> recheck) implements Next {}

  /**
   * The resource is left to another controller, for at least this long; only its status is written.
   */
  record HandsOff(Duration recheck) implements Next {}

  /** The next step may follow. */
  static Next goOn() {
    return new GoOn();
  }

  /** Writes the status before anything else is done. */
  static Next writeFirst(String by) {
    return new WriteFirst(by);
  }

  /** Ends the reconcile until an event arrives. */
  static Next rest() {
    return new Rest(Optional.empty());
  }

  /** Ends the reconcile until this time has passed or an event arrives. */
  static Next rest(Duration recheck) {
    return new Rest(Optional.of(recheck));
  }

  /** Returns whether the next step may follow. */
  default boolean goesOn() {
    return this instanceof GoOn;
  }

  /** Runs steps up to the first after which no other may follow, and returns its result. */
  static <P> Next of(P pass, List<Function<P, Next>> steps) {
    for (Function<P, Next> step : steps) {
      Next next = step.apply(pass);
      if (!next.goesOn()) {
        return next;
      }
    }
    return goOn();
  }
}
