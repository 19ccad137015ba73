package io.sei.operator.bench;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Takes the time until something has come about. */
final class Timed {

  private Timed() {}

  /** Seconds from now until {@code reached}, which is asked every 5 ms. */
  static double seconds(Runnable start, Callable<Boolean> reached) {
    long begin = System.nanoTime();
    start.run();
    until(reached);
    return (System.nanoTime() - begin) / 1e9;
  }

  /**
   * Cost of an operation.
   *
   * @param cpuSeconds processor time of everything that ran on the machine meanwhile
   */
  record Cost(double seconds, double cpuSeconds) {}

  /** Returns the cost from now until {@code reached}. */
  static Cost cost(Runnable start, Callable<Boolean> reached) {
    double cpu = ProcessorTime.seconds();
    double seconds = seconds(start, reached);
    return new Cost(seconds, ProcessorTime.seconds() - cpu);
  }

  /** Waits for a time to pass. */
  static void pass(Duration time) {
    await().pollDelay(time).atMost(time.multipliedBy(2)).until(() -> true);
  }

  /** Waits, long enough for thousands of nodes. */
  static void until(Callable<Boolean> reached) {
    await()
        .atMost(Duration.ofHours(2))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .ignoreExceptions()
        .until(reached);
  }
}
