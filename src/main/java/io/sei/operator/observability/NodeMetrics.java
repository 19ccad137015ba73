package io.sei.operator.observability;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.render.SpecHash;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * State of all nodes, read from the informer's cache at each scrape: a series is there exactly as
 * long as its node is, whichever replica leads and however often it restarted.
 */
final class NodeMetrics implements MultiCollector {

  private final Supplier<Stream<SeiNode>> nodes;

  /**
   * @param nodes every node in the cache
   */
  NodeMetrics(Supplier<Stream<SeiNode>> nodes) {
    this.nodes = nodes;
  }

  @Override
  public MetricSnapshots collect() {
    var phases = gauge("sei_node_phase", "1 for the phase a node is in, 0 for the others");
    var conditions = gauge("sei_node_condition", "1 for the status a condition has");
    var stalled = gauge("sei_node_stalled", "1 for the reason a node is stalled for");
    var restarts =
        gauge(
            "sei_node_restart_pending",
            "1 if a pod waits for its next restart to get its template");
    var outdatedPods =
        gauge(
            "sei_node_outdated_pods",
            "Pods of a node (1 or 0) that were made for another spec than the node has now");
    var halted =
        gauge(
            "sei_node_halted",
            "1 if seid stopped at an upgrade height and waits for its next image");
    List<SeiNode> present = nodes.get().filter(node -> node.getStatus() != null).toList();
    for (SeiNode node : present) {
      phases(node, phases);
      conditions(node, conditions);
      stalled(node, stalled);
      boolean pending = isTrue(node, NodeConditionType.RESTART_PENDING);
      restarts.dataPoint(point(pending, labels(node)));
      outdatedPods.dataPoint(point(isOutdated(node), labels(node)));
      halted.dataPoint(point(isHalted(node), labels(node)));
    }
    return MetricSnapshots.of(
        phases.build(),
        conditions.build(),
        stalled.build(),
        restarts.build(),
        outdatedPods.build(),
        halted.build());
  }

  private static void phases(SeiNode node, GaugeSnapshot.Builder phases) {
    for (NodePhase phase : NodePhase.values()) {
      phases.dataPoint(
          point(node.getStatus().phase() == phase, labels(node, "phase", phase.toString())));
    }
  }

  private static void conditions(SeiNode node, GaugeSnapshot.Builder conditions) {
    for (Condition condition : all(node)) {
      conditions.dataPoint(
          point(
              true,
              labels(node, "type", condition.type(), "status", lowerCase(condition.status()))));
    }
  }

  private static void stalled(SeiNode node, GaugeSnapshot.Builder stalled) {
    Optional<Condition> condition =
        Conditions.find(node.getStatus().conditions(), NodeConditionType.STALLED.toString())
            .filter(Condition::isTrue);
    for (StallReason reason : StallReason.values()) {
      if (condition.filter(it -> it.reason().equals(reason.toString())).isPresent()) {
        stalled.dataPoint(point(true, labels(node, "reason", reason.toString())));
      }
    }
  }

  /** Told by what the last reconcile stored: a scrape asks nobody. */
  private static boolean isOutdated(SeiNode node) {
    String running = node.getStatus().podSpecHash();
    return SpecHash.isKnownFormat(running)
        && node.getSpec() != null
        && !Boolean.TRUE.equals(node.getSpec().paused())
        && !running.equals(SpecHash.of(node));
  }

  private static boolean isHalted(SeiNode node) {
    return Conditions.find(node.getStatus().conditions(), NodeConditionType.READY.toString())
        .filter(ready -> ready.reason().equals(StallReason.HALTED_AT_UPGRADE.toString()))
        .isPresent();
  }

  private static boolean isTrue(SeiNode node, NodeConditionType type) {
    return Conditions.isTrue(node.getStatus().conditions(), type.toString());
  }

  private static List<Condition> all(SeiNode node) {
    List<Condition> conditions = node.getStatus().conditions();
    return conditions == null ? List.of() : conditions;
  }

  private static String lowerCase(Object value) {
    return value.toString().toLowerCase(java.util.Locale.ROOT);
  }

  private static GaugeSnapshot.Builder gauge(String name, String help) {
    return GaugeSnapshot.builder().name(name).help(help);
  }

  private static GaugeDataPointSnapshot point(boolean set, Labels labels) {
    return GaugeDataPointSnapshot.builder().value(set ? 1 : 0).labels(labels).build();
  }

  private static Labels labels(SeiNode node, String... more) {
    Labels base =
        Labels.of(
            "namespace", node.getMetadata().getNamespace(), "name", node.getMetadata().getName());
    return base.merge(Labels.of(more));
  }
}
