package io.sei.operator.observability;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.javaoperatorsdk.operator.processing.Controller;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * When each controller last ended a reconcile, and how many ended in an error. Both are there from
 * the moment a controller is registered: an alert can tell one that never began from one that is
 * not there, and the first error is an increase.
 */
final class ReconcileMetrics implements Metrics {

  /** What is known of one controller. */
  private static final class Tally {
    private final Counter errors;
    private volatile long lastEnd;

    Tally(Counter errors, long lastEnd) {
      this.errors = errors;
      this.lastEnd = lastEnd;
    }
  }

  private final MeterRegistry registry;
  private final Clock clock;
  private final Map<String, Tally> tallies = new ConcurrentHashMap<>();

  ReconcileMetrics(MeterRegistry registry, Clock clock) {
    this.registry = registry;
    this.clock = clock;
  }

  @Override
  public void controllerRegistered(Controller<? extends HasMetadata> controller) {
    tally(controller.getConfiguration().getName());
  }

  @Override
  public void failedReconciliation(
      HasMetadata resource, Exception error, Map<String, Object> metadata) {
    tally(metadata).errors.increment();
  }

  /** Called also for a reconcile that failed. */
  @Override
  public void reconciliationExecutionFinished(HasMetadata resource, Map<String, Object> metadata) {
    tally(metadata).lastEnd = now();
  }

  private Tally tally(Map<String, Object> metadata) {
    return tally(String.valueOf(metadata.get(Constants.CONTROLLER_NAME)));
  }

  private Tally tally(String controller) {
    return tallies.computeIfAbsent(controller, this::register);
  }

  private Tally register(String controller) {
    var tally =
        new Tally(
            Counter.builder("sei.reconcile.errors")
                .description("Reconciles that ended in an error; each is tried again")
                .tag("controller", controller)
                .register(registry),
            now());
    Gauge.builder("sei.last.reconcile.seconds", () -> tally.lastEnd)
        .description(
            "When a reconcile last ended, well or not, in seconds since 1970; the start of the"
                + " operator before the first")
        .tag("controller", controller)
        .register(registry);
    return tally;
  }

  private long now() {
    return clock.instant().getEpochSecond();
  }
}
