package io.sei.operator.node;

import java.time.Duration;
import java.time.Instant;

/**
 * Interval at which a sidecar is polled for the progress of a task. Most tasks take a moment, and a
 * new node has half a dozen of them; a download takes hours.
 */
final class PollInterval {

  private PollInterval() {}

  /**
   * The wait before the next question.
   *
   * @param submittedAt when the sidecar accepted the task; null for just now
   */
  static Duration after(Instant submittedAt, Instant now) {
    if (submittedAt == null) {
      // Most tasks take a few milliseconds.
      return Duration.ofMillis(25);
    }
    // The clock may have been set back since, and a task is not asked for all the time for it.
    long age = Duration.between(submittedAt, now).abs().toSeconds();
    if (age < 2) {
      return Duration.ofMillis(100);
    }
    if (age < 10) {
      return Duration.ofMillis(500);
    }
    return Duration.ofSeconds(age < 60 ? 2 : 5);
  }
}
