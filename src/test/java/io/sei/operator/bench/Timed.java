package io.sei.operator.bench;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Takes the time until something has come about. */
final class Timed {

  private Timed() {}

  /** Seconds from now until {@code reached}, which is asked every 20 ms. */
  static double seconds(Runnable start, Callable<Boolean> reached) {
    long begin = System.nanoTime();
    start.run();
    await()
        .atMost(Duration.ofMinutes(5))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .ignoreExceptions()
        .until(reached);
    return (System.nanoTime() - begin) / 1e9;
  }
}
