package io.sei.operator.testkit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Every wait of every test is for two minutes unless it says otherwise: how long something takes
 * says more of the machine than of what is tested. JUnit finds it by itself.
 */
public final class Patience implements BeforeAllCallback {

  /** A minute was too short on a machine with a dozen times the work that it can do. */
  static final Duration PATIENCE = Duration.ofMinutes(2);

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(PATIENCE);
  }

  /** Waits until an assertion holds; exceptions count as not yet: an object may be away. */
  public static void eventually(ThrowingRunnable assertion) {
    eventually(PATIENCE, assertion);
  }

  /** Waits with this much patience. */
  public static void eventually(Duration atMost, ThrowingRunnable assertion) {
    eventually(atMost, Duration.ofMillis(50), assertion);
  }

  /** Waits with this much patience, and this long between two looks. */
  public static void eventually(Duration atMost, Duration interval, ThrowingRunnable assertion) {
    Awaitility.await()
        .atMost(atMost)
        .pollInterval(interval)
        .pollDelay(Duration.ZERO)
        .ignoreExceptions()
        .untilAsserted(assertion);
  }

  /**
   * Waits for a state that is expensive to read, such as a scrape or kubectl: four times a second.
   */
  public static void eventuallySeldom(ThrowingRunnable assertion) {
    eventually(PATIENCE, Duration.ofMillis(250), assertion);
  }
}
