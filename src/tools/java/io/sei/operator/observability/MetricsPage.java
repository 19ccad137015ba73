package io.sei.operator.observability;

import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.javaoperatorsdk.operator.processing.GroupVersionKind;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshotsBuilder;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlannedTaskBuilder;
import io.sei.operator.api.v1alpha1.PodUpdate.How;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatusBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeStatusBuilder;
import io.sei.operator.api.v1alpha1.SeidStartBuilder;
import io.sei.operator.api.v1alpha1.SigningRecord;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskPlanBuilder;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.ChainAnswer;
import io.sei.operator.chain.ChainHead;
import io.sei.operator.chain.ChainReport;
import io.sei.operator.chain.ChainState;
import io.sei.operator.chain.SyncState;
import io.sei.operator.chain.UpgradePlan;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.docs.Markdown;
import io.sei.operator.fleet.OfflineFleet;
import io.sei.operator.kube.Applier;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.rollout.InPlaceUpdate;
import io.sei.operator.node.sync.CaughtUp;
import io.sei.operator.node.volume.ClaimGrowth;
import io.sei.operator.node.volume.VolumeUsage;
import io.sei.operator.reconcile.Kernel;
import io.sei.operator.sidecar.HttpSidecarClient;
import io.sei.operator.sidecar.OpenAccess;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code docs/metrics.md}: every metric of the operator's own, as the code has it. */
public final class MetricsPage {

  static final Path FILE = Path.of("docs", "metrics.md");

  private static final String HEAD =
      """
      <!-- Generated from the registry by 'make docs'; do not edit. -->
      # Metrics

      Every replica serves its metrics on `/metrics`, port 8080 (`SEI_METRICS_PORT`).

      - **A series of a node or a fleet ends with its object.** Series from the status of a node or fleet have the same
        value in all replicas, so aggregate with `max by (namespace, name)`, or with several clusters
        `max by (cluster, namespace, name)`.
      - **Only the replica that leads exports** heights and upgrades of chains, heights, lag and peers of nodes, how full
        volumes are, and when plans were last looked at. With shards, each operator exports the namespaces of its part.
      - **Counters and histograms** count what the process itself has done since its start: use `sum`.
      - **Scrape with `honorLabels: true`**, because the label `namespace` is the namespace of the object.
      - A histogram has the series `_bucket`, `_count` and `_sum`.

      Each replica also exports the metrics of the operator framework (`operator_sdk_*`) and of the JVM (`jvm_*`,
      `process_*`, `system_*`). [The chart](../deploy/helm/sei-operator/files) has the alerts and dashboards, and
      [the runbooks](runbooks/README.md) say what to do about an alert.

      | Metric | Type | Labels | What it is |
      |---|---|---|---|
      """;

  private static final Instant NOW = Instant.EPOCH;

  private static final SyncState SYNC =
      new SyncState("any", 50, NOW, false, Optional.of(50L), Optional.of(3), Optional.empty());

  private static final VolumeUsage USAGE = new VolumeUsage(2, 1, Optional.of(1.0));

  private MetricsPage() {}

  /** Writes the page. */
  public static void main(String[] arguments) throws IOException {
    Files.writeString(FILE, text());
  }

  /** Returns the text of the page. */
  static String text() {
    Scrape scrape = sample();
    return HEAD
        + scrape.own().stream().map(family -> row(family, scrape)).collect(Collectors.joining());
  }

  /** A scrape in which every metric of our own has a series. */
  static Scrape sample() {
    var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    registry.config().meterFilter(new OperatorMetrics.FewBuckets());
    OperatorMetrics.bindBuildInfo(registry);
    OperatorMetrics.bindReleases(registry, () -> false);
    OperatorMetrics.bindShard(registry, 0, 1);
    OperatorMetrics.bindWaits(registry, () -> 0, () -> 0);
    OperatorMetrics.bindWatches(registry, () -> Duration.ZERO, () -> 0);
    var reconciles = new ReconcileMetrics(registry, Clock.systemUTC());
    reconciles.reconciliationExecutionFinished(null, Map.of(Constants.CONTROLLER_NAME, "any"));
    reconciles.finishedReconciliation(
        node(), Map.of(Constants.RESOURCE_GVK_KEY, GroupVersionKind.gvkFor(SeiNode.class)));
    var state = new StateMetrics(reconciles);
    state.ofNodes(() -> Stream.of(node()), any -> true);
    state.ofFleets(() -> Stream.of(fleet()));
    state.ofChains(() -> Stream.of(chain()));
    state.ofHandsOff(() -> Stream.of("any"));
    state.gaugesOfNodes(
        Stream.of(
                OfflineNode.CONDITIONS.gauges(),
                CaughtUp.gauges(node -> Optional.of(SYNC)),
                ClaimGrowth.gauges(node -> Optional.of(USAGE)))
            .flatMap(List::stream)
            .toList());
    state.gaugesOfFleets(OfflineFleet.CONDITIONS.gauges());
    registry.getPrometheusRegistry().register(state);
    new PlanMetrics(registry, OfflineNode.ENGINE.names())
        .observe(plan(PlanPhase.ACTIVE), plan(PlanPhase.COMPLETE), NOW);
    var config = OperatorConfig.fromEnvironment(Map.of()).sidecar();
    new HttpSidecarClient(config, new OpenAccess(Optional.empty()), registry).close();
    Applier.applies(registry, "StatefulSet", "created").increment();
    Kernel.unfinished(registry, "any").increment();
    InPlaceUpdate.updates(registry, How.IN_PLACE).increment();
    return Scrape.parse(registry.scrape());
  }

  private static String row(Scrape.Family family, Scrape scrape) {
    return Markdown.row(
        Markdown.code(family.name()),
        family.type(),
        Markdown.codes(scrape.labels(family)),
        family.help());
  }

  private static ChainReport chain() {
    var plan = Optional.of(new UpgradePlan("any", 9, false));
    var first = new ChainAnswer(new ChainHead("any", 1, NOW), plan);
    var second = new ChainAnswer(new ChainHead("any", 2, NOW.plusSeconds(1)), plan);
    return new ChainReport("any", "any", ChainState.of(first).heard(second, true));
  }

  private static SeiNode node() {
    List<Condition> conditions =
        List.of(
            condition(NodeConditionType.STALLED, ConditionStatus.TRUE, StallReason.UNKNOWN),
            condition(NodeConditionType.CAUGHT_UP, ConditionStatus.TRUE, NodeReason.FROZEN),
            condition(
                NodeConditionType.SIGNING_KEY_READY,
                ConditionStatus.FALSE,
                NodeReason.SIGNER_HAS_ANOTHER_KEY),
            condition(
                NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.NOT_LISTED));
    var node =
        Samples.node(
            "any",
            "any",
            SeiNodeSpecBuilder.builder()
                .chainId("any")
                .image("any")
                .dataVolume(new DataVolume(new DataVolume.Import("any"), null, null, null, null))
                .build());
    node.setStatus(
        SeiNodeStatusBuilder.builder()
            .phase(NodePhase.RUNNING)
            .plan(plan(PlanPhase.ACTIVE))
            .signingRecord(new SigningRecord("any", "any", "any", null))
            .start(SeidStartBuilder.builder().since(NOW).build())
            .conditions(conditions)
            .upgrades(List.of(UpgradeStatus.scheduled(new Upgrade("any", 1L, "any", null))))
            .build());
    return node;
  }

  private static Condition condition(
      NodeConditionType type, ConditionStatus status, Reason reason) {
    return Conditions.with(List.of(), type, status, reason, "", 1L, NOW).getFirst();
  }

  private static SeiNodeDeployment fleet() {
    var fleet = Samples.fleet("any", "any", null);
    fleet.setStatus(
        SeiNodeDeploymentStatusBuilder.builder()
            .phase(FleetPhase.UPGRADING)
            .replicas(1)
            .rollout(new Rollout("any", NOW, List.of()))
            .failedTemplateHash("any")
            .snapshots(
                FleetSnapshotsBuilder.builder()
                    .nextScheduleTime(NOW)
                    .latest(new FleetSnapshots.Taken("any", "any", null, NOW))
                    .build())
            .conditions(node().getStatus().conditions())
            .build());
    return fleet;
  }

  private static TaskPlan plan(PlanPhase phase) {
    boolean done = phase == PlanPhase.COMPLETE;
    return TaskPlanBuilder.builder()
        .id("any")
        .kind(PlanKind.MARK_READY)
        .phase(phase)
        .startedAt(NOW)
        .tasks(
            List.of(
                PlannedTaskBuilder.builder()
                    .type(TaskTypes.MARK_READY)
                    .id("any")
                    .status(done ? TaskStatus.COMPLETE : TaskStatus.PENDING)
                    .startedAt(NOW)
                    .build()))
        .build();
  }
}
