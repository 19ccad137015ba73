package io.sei.operator.reconcile;

import java.time.Duration;

/** What a step of a pass leaves to be done. */
public sealed interface Next {

  /** The next step may follow. */
  record GoOn() implements Next {}

  /**
   * What was recorded has to be in the status before anything else is done.
   *
   * @param by which step asks for it, in one word
   */
  record WriteFirst(String by) implements Next {}

  /** Nothing else is to be done now; another reconcile follows after this at the latest. */
  record Rest(Duration recheck) implements Next {}

  /** The next step may follow. */
  static Next goOn() {
    return new GoOn();
  }

  /** What was recorded has to be in the status before anything else is done. */
  static Next writeFirst(String by) {
    return new WriteFirst(by);
  }

  /** Nothing else is to be done before this has passed, or an event comes. */
  static Next rest(Duration recheck) {
    return new Rest(recheck);
  }
}
