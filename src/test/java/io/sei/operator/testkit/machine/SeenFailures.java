package io.sei.operator.testkit.machine;

import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/** The known failures of a test run; prints them when JUnit closes it. */
final class SeenFailures implements AutoCloseable {

  private final Set<String> seen = new ConcurrentSkipListSet<>();

  void add(String what) {
    seen.add(what);
  }

  @Override
  public void close() {
    System.out.println("Known failures, which have to be mended:");
    seen.forEach(what -> System.out.println("  " + what));
  }
}
