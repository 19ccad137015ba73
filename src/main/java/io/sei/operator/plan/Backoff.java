package io.sei.operator.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Exponential backoff.
 *
 * @param first delay before the first repetition
 * @param cap longest delay
 */
public record Backoff(Duration first, Duration cap) {

  /** Between the attempts of a task: 1 s, 2 s, 4 s, ... 30 s. */
  public static final Backoff OF_TASKS = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30));

  /** The longest delay between the attempts of a task, whatever sets it. */
  public static final Duration LONGEST_OF_TASKS = Duration.ofMinutes(2);

  /** Between failed plans for the same target: 10 s, 20 s, ... 10 min. */
  public static final Backoff OF_PLANS =
      new Backoff(Duration.ofSeconds(10), Duration.ofMinutes(10));

  /**
   * Delay before another attempt of something that has failed for some time: as long as that has
   * been, so that it doubles with each attempt, within the bounds.
   *
   * @param since when it first failed, if it has
   */
  public Duration whileFailing(Optional<Instant> since, Instant now) {
    Duration stalled =
        since
            .map(first -> Duration.between(first, now))
            .filter(duration -> duration.compareTo(first) > 0)
            .orElse(first);
    return stalled.compareTo(cap) < 0 ? stalled : cap;
  }

  /** Delay after the {@code failures}th failure; zero if there was none. */
  public Duration after(int failures) {
    if (failures <= 0) {
      return Duration.ZERO;
    }
    // 2^20 times the smallest delay is above any cap in use; larger shifts would overflow.
    Duration delay = first.multipliedBy(1L << Math.min(failures - 1, 20));
    return delay.compareTo(cap) < 0 ? delay : cap;
  }
}
