package io.sei.operator.observability;

import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.RegisteredController;
import io.javaoperatorsdk.operator.RuntimeInfo;
import io.javaoperatorsdk.operator.health.InformerHealthIndicator;
import io.javaoperatorsdk.operator.health.InformerWrappingEventSourceHealthIndicator;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The health of a running operator.
 *
 * <p>The framework's own verdict also asks whether every informer is watching right now, which is
 * false for a moment whenever a watch is renewed. Here an informer is ready when it runs and has
 * once listed everything, and only a watch that stays silent makes the process unhealthy.
 */
public final class OperatorHealth {
  private final Operator operator;
  private final RuntimeInfo runtime;
  private final List<RegisteredController<?>> controllers;
  private final BooleanSupplier leader;
  private final Supplier<List<String>> deafWatches;

  /**
   * @param operator not started yet
   * @param controllers what is registered with it
   * @param leader whether this process acts, or waits for another that does
   * @param deafWatches watches that stay silent although they were renewed
   */
  public OperatorHealth(
      Operator operator,
      List<RegisteredController<?>> controllers,
      BooleanSupplier leader,
      Supplier<List<String>> deafWatches) {
    this.operator = operator;
    // Not later: while the operator starts, asking for it waits until the caches are full.
    this.runtime = operator.getRuntimeInfo();
    this.controllers = List.copyOf(controllers);
    this.leader = leader;
    this.deafWatches = deafWatches;
  }

  /**
   * Whether restarting this process would help: its reconcile threads have stopped, or a watch
   * cannot be revived. A process that is not started yet is alive.
   */
  public HealthReport liveness() {
    if (!runtime.isStarted()) {
      return HealthReport.ok();
    }
    var threads =
        operator.getConfigurationService().getExecutorServiceManager().reconcileExecutorService();
    if (threads == null || threads.isShutdown()) {
      return new HealthReport(List.of("the reconcile threads have stopped"), List.of());
    }
    return new HealthReport(
        deafWatches.get().stream()
            .map("the watch of %s stays silent although it was renewed"::formatted)
            .toList(),
        List.of());
  }

  /** Whether every cache is filled. A follower is ready as well: it can take over at once. */
  public HealthReport readiness() {
    var notes = List.of("leader: " + leader.getAsBoolean());
    var problems = new ArrayList<String>();
    if (!runtime.isStarted()) {
      problems.add("the operator has not started");
    }
    for (RegisteredController<?> controller : controllers) {
      problems.addAll(staleCaches(controller));
    }
    return new HealthReport(problems, notes);
  }

  @SuppressWarnings({"rawtypes", "unchecked"})
  private static List<String> staleCaches(RegisteredController<?> controller) {
    var stale = new ArrayList<String>();
    Map<String, InformerWrappingEventSourceHealthIndicator> sources =
        controller.getControllerHealthInfo().informerEventSourceHealthIndicators();
    sources.forEach(
        (name, source) -> {
          String informer = controller.getConfiguration().getName() + "/" + name;
          // Before it runs it cannot even be asked for its informers.
          if (source instanceof AbstractEventSource<?, ?> events && !events.isRunning()) {
            stale.add("informer " + informer + " has not listed yet");
          } else {
            stale.addAll(staleInformers(informer, source.informerHealthIndicators()));
          }
        });
    return stale;
  }

  private static List<String> staleInformers(
      String name, Map<String, InformerHealthIndicator> informers) {
    return informers.entrySet().stream()
        .filter(entry -> !entry.getValue().isRunning() || !entry.getValue().hasSynced())
        .map(
            entry ->
                "informer %s of namespace %s %s"
                    .formatted(
                        name,
                        entry.getKey(),
                        entry.getValue().isRunning() ? "has not listed yet" : "has stopped"))
        .toList();
  }
}
