package io.sei.operator.testkit;

import java.time.Duration;

/**
 * Durations of the simulated kubelet's work.
 *
 * @param start from the binding of a pod until its containers run
 * @param termination from the request to delete a pod until it is gone
 * @param crashBackoff before the first restart of a crashed container; it doubles with each one,
 *     six times at most
 * @param heartbeat between two heartbeats of the node
 */
public record KubeletTiming(
    Duration start, Duration termination, Duration crashBackoff, Duration heartbeat) {

  /** Start 100 ms, termination 200 ms, first crash backoff 200 ms, heartbeat 10 s. */
  public static KubeletTiming fast() {
    return new KubeletTiming(
        Duration.ofMillis(100),
        Duration.ofMillis(200),
        Duration.ofMillis(200),
        Duration.ofSeconds(10));
  }
}
