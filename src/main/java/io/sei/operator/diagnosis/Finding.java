package io.sei.operator.diagnosis;

import io.sei.operator.api.v1alpha1.StallReason;

/**
 * Why a node does not progress.
 *
 * @param reason the condition's reason
 * @param message the evidence and what a human should do next; one printable line of at most {@link
 *     #MAX_MESSAGE} characters, whatever it was made from
 * @param terminal whether waiting cannot help, so that the node counts as stalled at once instead
 *     of at its progress deadline
 */
public record Finding(StallReason reason, String message, boolean terminal) {

  /** Longest message. */
  public static final int MAX_MESSAGE = 1024;

  public Finding {
    message = OneLine.of(message, MAX_MESSAGE);
  }

  /** Nothing known explains the wait; says what was seen instead, and where to look. */
  public static Finding unknown(String seen, String nextStep) {
    return of(StallReason.UNKNOWN, seen, nextStep);
  }

  /** A finding that time may still heal. */
  static Finding of(StallReason reason, String seen, String nextStep) {
    return new Finding(reason, sentence(seen, nextStep), false);
  }

  /** A finding that time does not heal. */
  static Finding terminal(StallReason reason, String seen, String nextStep) {
    return new Finding(reason, sentence(seen, nextStep), true);
  }

  /** Long evidence must not push the advice off the end. */
  private static String sentence(String seen, String nextStep) {
    String end = "; " + nextStep;
    return OneLine.of(seen, MAX_MESSAGE - end.length()) + end;
  }
}
