package io.sei.operator.observability;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.javaoperatorsdk.operator.processing.GroupVersionKind;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.TaskPlan;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * When each plan under way was last looked at, so that a plan that does not get on differs from one
 * that nobody works on. Kept in the memory of the process that looks: a replica that stands by has
 * no series, and a series goes with its plan.
 */
final class PlanLookMetrics implements Metrics, MultiCollector {

  /** An object with a plan. */
  private record Owner(String kind, ResourceID id) {}

  private final Clock clock;
  private final Map<Owner, Long> looks = new ConcurrentHashMap<>();
  private volatile Supplier<Stream<SeiNode>> nodes = Stream::of;
  private volatile Supplier<Stream<SeiNodeDeployment>> deployments = Stream::of;

  PlanLookMetrics(Clock clock) {
    this.clock = clock;
  }

  /** Tells where nodes with plans are found. */
  void ofNodes(Supplier<Stream<SeiNode>> present) {
    nodes = present;
  }

  /** Tells where deployments with plans are found. */
  void ofDeployments(Supplier<Stream<SeiNodeDeployment>> present) {
    deployments = present;
  }

  /** A reconcile that ended in an error has not got to look at the plan, or not to the end. */
  @Override
  public void finishedReconciliation(HasMetadata resource, Map<String, Object> metadata) {
    looks.put(owner(ResourceID.fromResource(resource), metadata), clock.instant().getEpochSecond());
  }

  @Override
  public void cleanupDoneFor(ResourceID resource, Map<String, Object> metadata) {
    looks.remove(owner(resource, metadata));
  }

  @Override
  public MetricSnapshots collect() {
    var gauge =
        GaugeSnapshot.builder()
            .name("sei_plan_last_looked_seconds")
            .help(
                "When a plan under way was last looked at, in seconds since 1970; only in the"
                    + " replica that leads, absent if there is no plan");
    nodes
        .get()
        .filter(node -> node.getStatus() != null && isActive(node.getStatus().plan()))
        .forEach(node -> point(SeiNode.KIND, node, gauge));
    deployments
        .get()
        .filter(fleet -> fleet.getStatus() != null && isActive(fleet.getStatus().plan()))
        .forEach(fleet -> point(SeiNodeDeployment.KIND, fleet, gauge));
    return MetricSnapshots.of(gauge.build());
  }

  private void point(String kind, HasMetadata resource, GaugeSnapshot.Builder gauge) {
    Long look = looks.get(new Owner(kind, ResourceID.fromResource(resource)));
    if (look != null) {
      gauge.dataPoint(
          GaugeDataPointSnapshot.builder()
              .value(look)
              .labels(
                  Labels.of(
                      "namespace",
                      resource.getMetadata().getNamespace(),
                      "name",
                      resource.getMetadata().getName(),
                      "kind",
                      kind))
              .build());
    }
  }

  private static boolean isActive(TaskPlan plan) {
    return plan != null && plan.isActive();
  }

  private static Owner owner(ResourceID id, Map<String, Object> metadata) {
    var type = (GroupVersionKind) metadata.get(Constants.RESOURCE_GVK_KEY);
    return new Owner(type.getKind(), id);
  }
}
