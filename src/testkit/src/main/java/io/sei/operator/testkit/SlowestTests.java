package io.sei.operator.testkit;

import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Prints the ten slowest tests at the end of a run, so that one that grows is noticed. */
public final class SlowestTests implements TestExecutionListener {

  private static final int SHOWN = 10;

  private final Map<TestIdentifier, Long> started = new ConcurrentHashMap<>();
  private final Map<TestIdentifier, Duration> took = new ConcurrentHashMap<>();

  @Override
  public void executionStarted(TestIdentifier test) {
    started.put(test, System.nanoTime());
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (test.isTest()) {
      took.put(test, Duration.ofNanos(System.nanoTime() - started.get(test)));
    }
  }

  @Override
  public void testPlanExecutionFinished(TestPlan plan) {
    if (took.size() <= SHOWN) {
      return;
    }
    System.out.println("The slowest tests, in seconds beside each other:");
    took.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .limit(SHOWN)
        .forEach(
            entry ->
                System.out.printf("%7.1f  %s%n", seconds(entry.getValue()), name(entry.getKey())));
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  private static String name(TestIdentifier test) {
    return test.getSource()
        .filter(MethodSource.class::isInstance)
        .map(MethodSource.class::cast)
        .map(
            source ->
                source.getClassName() + "." + source.getMethodName() + " " + test.getDisplayName())
        .orElse(test.getDisplayName());
  }
}
