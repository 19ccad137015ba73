package io.sei.operator.observability;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.javaoperatorsdk.operator.processing.GroupVersionKind;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Records for each controller the time of its last reconcile and the number of failed ones. Both
 * are there from the moment the operator has started: an alert can tell a controller that never
 * began from an operator that waits or is not there, and the first error is an increase.
 *
 * <p>Also when each object was last reconciled, in the memory of the process that did it.
 */
final class ReconcileMetrics implements Metrics {

  private record Key(String kind, ResourceID id) {}

  private final MeterRegistry registry;
  private final Clock clock;
  private final Map<String, AtomicLong> lastEnds = new ConcurrentHashMap<>();
  private final Map<Key, Long> lastSuccesses = new ConcurrentHashMap<>();

  ReconcileMetrics(MeterRegistry registry, Clock clock) {
    this.registry = registry;
    this.clock = clock;
  }

  /** Time at which this object was last reconciled without an error, in seconds since 1970. */
  Optional<Long> lastSuccess(HasMetadata object) {
    return Optional.ofNullable(
        lastSuccesses.get(new Key(object.getKind(), ResourceID.fromResource(object))));
  }

  /** Adds the metrics of controllers that have started. */
  void started(Stream<String> controllers) {
    controllers.forEach(this::register);
  }

  @Override
  public void failedReconciliation(
      HasMetadata resource, Exception error, Map<String, Object> metadata) {
    register(controller(metadata));
    errors(controller(metadata)).increment();
  }

  /** Called also for a reconcile that failed. */
  @Override
  public void reconciliationExecutionFinished(HasMetadata resource, Map<String, Object> metadata) {
    register(controller(metadata)).set(now());
  }

  /** Records a successful reconcile; the framework does not call it for a failed one. */
  @Override
  public void finishedReconciliation(HasMetadata resource, Map<String, Object> metadata) {
    lastSuccesses.put(key(ResourceID.fromResource(resource), metadata), now());
  }

  @Override
  public void cleanupDoneFor(ResourceID resource, Map<String, Object> metadata) {
    lastSuccesses.remove(key(resource, metadata));
  }

  private AtomicLong register(String controller) {
    return lastEnds.computeIfAbsent(
        controller,
        name -> {
          errors(name);
          var end = new AtomicLong(now());
          Gauge.builder("sei.last.reconcile.seconds", end, AtomicLong::get)
              .description(
                  "When a reconcile last ended, well or not, in seconds since 1970; the start of"
                      + " the operator before the first")
              .tag("controller", name)
              .register(registry);
          return end;
        });
  }

  private Counter errors(String controller) {
    return Counter.builder("sei.reconcile.errors")
        .description("Reconciles that ended in an error; each is tried again")
        .tag("controller", controller)
        .register(registry);
  }

  private static String controller(Map<String, Object> metadata) {
    return String.valueOf(metadata.get(Constants.CONTROLLER_NAME));
  }

  private static Key key(ResourceID id, Map<String, Object> metadata) {
    var type = (GroupVersionKind) metadata.get(Constants.RESOURCE_GVK_KEY);
    return new Key(type.getKind(), id);
  }

  private long now() {
    return clock.instant().getEpochSecond();
  }
}
