package io.sei.operator.kube;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts applies as {@code sei.applies}. */
public final class ApplyCounts {

  private final MeterRegistry registry;

  public ApplyCounts(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * Counts one.
   *
   * @param kind kind of the object
   * @param result what came of it: created, changed or unchanged
   */
  public void count(String kind, String result) {
    Counter.builder("sei.applies")
        .description("Server-side applies that were sent, by what came of them")
        .tag("kind", kind)
        .tag("result", result)
        .register(registry)
        .increment();
  }
}
