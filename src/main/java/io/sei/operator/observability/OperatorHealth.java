package io.sei.operator.observability;

import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.RegisteredController;
import io.javaoperatorsdk.operator.health.InformerHealthIndicator;
import io.javaoperatorsdk.operator.health.InformerWrappingEventSourceHealthIndicator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The health of a running operator.
 *
 * <p>The framework's own verdict also asks whether every informer is watching right now, which is
 * false for a moment whenever a watch is renewed. Here an informer is healthy when it runs and has
 * once listed everything.
 */
public final class OperatorHealth {
  private final Operator operator;
  private final BooleanSupplier leader;

  /**
   * @param operator may be started later
   * @param leader whether this process acts, or waits for another that does
   */
  public OperatorHealth(Operator operator, BooleanSupplier leader) {
    this.operator = operator;
    this.leader = leader;
  }

  /**
   * Whether restarting this process would help: its reconcile threads are gone. A process that is
   * not started yet is alive.
   */
  public HealthReport liveness() {
    if (!operator.getRuntimeInfo().isStarted()) {
      return HealthReport.ok();
    }
    var threads =
        operator.getConfigurationService().getExecutorServiceManager().reconcileExecutorService();
    return threads == null || threads.isShutdown()
        ? new HealthReport(List.of("reconcile threads are gone"), List.of())
        : HealthReport.ok();
  }

  /** Whether every cache is filled. A follower is ready as well: it can take over at once. */
  public HealthReport readiness() {
    var notes = List.of("leader: " + leader.getAsBoolean());
    var info = operator.getRuntimeInfo();
    if (!info.isStarted()) {
      return new HealthReport(List.of("operator is not started"), notes);
    }
    var problems = new ArrayList<String>();
    for (RegisteredController<?> controller : info.getRegisteredControllers()) {
      problems.addAll(staleCaches(controller));
    }
    return new HealthReport(problems, notes);
  }

  @SuppressWarnings({"rawtypes", "unchecked"})
  private static List<String> staleCaches(RegisteredController<?> controller) {
    var stale = new ArrayList<String>();
    Map<String, InformerWrappingEventSourceHealthIndicator> sources =
        controller.getControllerHealthInfo().informerEventSourceHealthIndicators();
    for (var source : sources.entrySet()) {
      Map<String, InformerHealthIndicator> informers = source.getValue().informerHealthIndicators();
      for (var informer : informers.entrySet()) {
        var state = informer.getValue();
        if (!state.isRunning() || !state.hasSynced()) {
          stale.add(
              "informer %s/%s of namespace %s %s"
                  .formatted(
                      controller.getConfiguration().getName(),
                      source.getKey(),
                      informer.getKey(),
                      state.isRunning() ? "has not listed yet" : "has stopped"));
        }
      }
    }
    return stale;
  }
}
