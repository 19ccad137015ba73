package io.sei.operator.observability;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** State of all deployments, read from the informer's cache at each scrape. */
final class FleetMetrics implements MultiCollector {

  private final Supplier<Stream<SeiNodeDeployment>> deployments;

  /**
   * @param deployments every deployment in the cache
   */
  FleetMetrics(Supplier<Stream<SeiNodeDeployment>> deployments) {
    this.deployments = deployments;
  }

  @Override
  public MetricSnapshots collect() {
    var phases = gauge("sei_snd_phase", "1 for the phase a deployment is in, 0 for the others");
    var conditions = gauge("sei_snd_condition", "1 for the status a condition has");
    var replicas = gauge("sei_snd_replicas", "Nodes of a deployment by state");
    var started =
        gauge(
            "sei_snd_rollout_started_seconds",
            "When the rollout under way began, in seconds since 1970; absent if there is none");
    List<SeiNodeDeployment> present =
        deployments.get().filter(deployment -> deployment.getStatus() != null).toList();
    for (SeiNodeDeployment deployment : present) {
      phases(deployment, phases);
      conditions(deployment, conditions);
      replicas(deployment, replicas);
      if (deployment.getStatus().rollout() != null) {
        double seconds = deployment.getStatus().rollout().startedAt().getEpochSecond();
        started.dataPoint(point(seconds, labels(deployment)));
      }
    }
    return MetricSnapshots.of(
        phases.build(), conditions.build(), replicas.build(), started.build());
  }

  private static void phases(SeiNodeDeployment deployment, GaugeSnapshot.Builder phases) {
    for (FleetPhase phase : FleetPhase.values()) {
      double value = deployment.getStatus().phase() == phase ? 1 : 0;
      phases.dataPoint(point(value, labels(deployment, "phase", phase.toString())));
    }
  }

  private static void conditions(SeiNodeDeployment deployment, GaugeSnapshot.Builder conditions) {
    List<Condition> all = deployment.getStatus().conditions();
    for (Condition condition : all == null ? List.<Condition>of() : all) {
      conditions.dataPoint(
          point(
              1,
              labels(
                  deployment,
                  "type",
                  condition.type(),
                  "status",
                  condition.status().toString().toLowerCase(Locale.ROOT))));
    }
  }

  private static void replicas(SeiNodeDeployment deployment, GaugeSnapshot.Builder replicas) {
    SeiNodeDeploymentStatus status = deployment.getStatus();
    Integer desired = deployment.getSpec() == null ? null : deployment.getSpec().replicas();
    state(deployment, replicas, "desired", desired);
    state(deployment, replicas, "current", status.replicas());
    state(deployment, replicas, "ready", status.readyReplicas());
    state(deployment, replicas, "updated", status.updatedReplicas());
  }

  private static void state(
      SeiNodeDeployment deployment, GaugeSnapshot.Builder replicas, String state, Integer count) {
    if (count != null) {
      replicas.dataPoint(point(count, labels(deployment, "state", state)));
    }
  }

  private static GaugeSnapshot.Builder gauge(String name, String help) {
    return GaugeSnapshot.builder().name(name).help(help);
  }

  private static GaugeDataPointSnapshot point(double value, Labels labels) {
    return GaugeDataPointSnapshot.builder().value(value).labels(labels).build();
  }

  private static Labels labels(SeiNodeDeployment deployment, String... more) {
    Labels base =
        Labels.of(
            "namespace",
            deployment.getMetadata().getNamespace(),
            "name",
            deployment.getMetadata().getName());
    return base.merge(Labels.of(more));
  }
}
