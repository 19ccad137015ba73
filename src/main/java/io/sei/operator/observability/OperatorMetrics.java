package io.sei.operator.observability;

import io.javaoperatorsdk.operator.api.monitoring.AggregatedMetrics;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.monitoring.micrometer.MicrometerMetrics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.chain.ChainReport;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The registry that everything measurable goes to, with the basics of the JVM in it: memory,
 * garbage collection, threads and CPU.
 */
public final class OperatorMetrics implements AutoCloseable {

  /**
   * The framework's gauge of active reconciles falls below 0: for a deleted resource it counts the
   * end of a reconcile but not its start.
   */
  private static final MeterFilter WITHOUT_EXECUTIONS =
      MeterFilter.denyNameStartsWith("operator.sdk.reconciliations.executions");

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();
  private final ReconcileMetrics reconciles;
  private final StateMetrics state;
  private final Metrics framework;

  /**
   * A registry of its own.
   *
   * @param clock says when a reconcile ended
   */
  public OperatorMetrics(Clock clock) {
    registry.config().meterFilter(new FewBuckets()).meterFilter(WITHOUT_EXECUTIONS);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    gc.bindTo(registry);
    bindBuildInfo(registry);
    reconciles = new ReconcileMetrics(registry, clock);
    state = new StateMetrics(reconciles);
    registry.getPrometheusRegistry().register(state);
    // The first of them times reconciles; the other only listens.
    framework =
        new AggregatedMetrics(
            List.of(MicrometerMetrics.withoutPerResourceMetrics(registry), reconciles));
  }

  /** The version is in the manifest of the jar, and so not there where classes are run. */
  static void bindBuildInfo(MeterRegistry registry) {
    String version = OperatorMetrics.class.getPackage().getImplementationVersion();
    Gauge.builder("sei.build.info", () -> 1)
        .description("1, with the version of the operator and of the Java that runs it")
        .tag("version", version == null ? "unknown" : version)
        .tag("java", System.getProperty("java.version"))
        .register(registry);
  }

  /** Returns the registry of the operator's own meters. */
  public MeterRegistry registry() {
    return registry;
  }

  /**
   * Returns the receiver of the framework's metrics. It keeps no series per resource, since it
   * never drops any.
   */
  public Metrics framework() {
    return framework;
  }

  /** Adds what is measured of controllers, which have started. */
  public void ofControllers(Stream<String> names) {
    reconciles.started(names);
  }

  /**
   * Adds what is said of nodes, at each scrape.
   *
   * @param nodes every node in the cache
   * @param hasReadyPod whether the pod of a node is Ready
   */
  public void ofNodes(Supplier<Stream<SeiNode>> nodes, Predicate<SeiNode> hasReadyPod) {
    state.ofNodes(nodes, hasReadyPod);
  }

  /**
   * Adds what is said of deployments, at each scrape.
   *
   * @param deployments every deployment in the cache
   */
  public void ofDeployments(Supplier<Stream<SeiNodeDeployment>> deployments) {
    state.ofFleets(deployments);
  }

  /**
   * Adds what is said of chains, at each scrape.
   *
   * @param chains every chain that has answered
   */
  public void ofChains(Supplier<Stream<ChainReport>> chains) {
    state.ofChains(chains);
  }

  /**
   * Adds what keeps the operator's hands off, at each scrape.
   *
   * @param namespaces the namespaces that are the cause
   */
  public void ofHandsOff(Supplier<Stream<String>> namespaces) {
    state.ofHandsOff(namespaces);
  }

  /** Adds whether the list of releases in the ConfigMap cannot be used. */
  public void ofReleases(BooleanSupplier isInvalid) {
    bindReleases(registry, isInvalid);
  }

  static void bindReleases(MeterRegistry registry, BooleanSupplier isInvalid) {
    Gauge.builder("sei_release_list_invalid", () -> isInvalid.getAsBoolean() ? 1 : 0)
        .description(
            "1 if the ConfigMap with releases of seid cannot be read or is no list of releases, so"
                + " that an earlier list holds")
        .register(registry);
  }

  /** Says which shard this process is, of how many, so that one that is not there is missed. */
  public void ofShard(int index, int count) {
    bindShard(registry, index, count);
  }

  static void bindShard(MeterRegistry registry, int index, int count) {
    Gauge.builder("sei.shards", () -> count)
        .description("How many operators share the cluster, said by each that runs")
        .tag("shard", String.valueOf(index))
        .register(registry);
  }

  /**
   * Adds what waits.
   *
   * @param reconciles how many reconciles wait for a place
   * @param sidecars how many sidecars left the last request unanswered
   */
  public void ofWaits(Supplier<Number> reconciles, Supplier<Number> sidecars) {
    bindWaits(registry, reconciles, sidecars);
  }

  static void bindWaits(
      MeterRegistry registry, Supplier<Number> reconciles, Supplier<Number> sidecars) {
    Gauge.builder("sei_reconciles_waiting", reconciles)
        .description(
            "Reconciles that wait because others of their namespace, or all, are under way")
        .register(registry);
    Gauge.builder("sei_sidecars_unanswered", sidecars)
        .description(
            "Sidecars that left the last request about a task unanswered, and are asked again"
                + " aside")
        .register(registry);
  }

  /**
   * Adds how the watches of the API server are.
   *
   * @param age how long the one that has been silent for longest has been silent
   * @param renewals how many were renewed because they were silent
   */
  public void ofWatches(Supplier<Duration> age, Supplier<Number> renewals) {
    bindWatches(registry, age, renewals);
  }

  static void bindWatches(
      MeterRegistry registry, Supplier<Duration> age, Supplier<Number> renewals) {
    Gauge.builder("sei_watch_age_seconds", () -> age.get().toSeconds())
        .description(
            "How long the watch of the API server that has been silent for longest has been silent;"
                + " bookmarks come about once a minute")
        .register(registry);
    FunctionCounter.builder(
            "sei_watch_renewals_total", renewals, count -> count.get().doubleValue())
        .description("Watches of the API server that were renewed because they were silent")
        .register(registry);
  }

  /** Adds gauges of nodes. */
  public void gaugesOfNodes(List<GaugeRow<SeiNode>> rows) {
    state.gaugesOfNodes(rows);
  }

  /** Adds gauges of deployments. */
  public void gaugesOfDeployments(List<GaugeRow<SeiNodeDeployment>> rows) {
    state.gaugesOfFleets(rows);
  }

  /** Everything measured, in the Prometheus text format. */
  public String scrape() {
    return registry.scrape();
  }

  /** Stops listening to the garbage collector. */
  @Override
  public void close() {
    gc.close();
    registry.close();
  }

  /**
   * The framework's timers come with 69 buckets per series, which is most of a scrape; ours with
   * none.
   */
  static final class FewBuckets implements MeterFilter {
    private static final List<Duration> OF_RECONCILES =
        Stream.of(5, 25, 100, 500, 2500, 10_000).map(Duration::ofMillis).toList();
    private static final List<Duration> OF_PLANS =
        Stream.of(10, 30, 60, 180, 600, 1800, 7200).map(Duration::ofSeconds).toList();

    @Override
    public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
      if (id.getName().startsWith("operator.sdk.controllers.execution")) {
        return buckets(OF_RECONCILES, config);
      }
      return id.getName().startsWith("sei.plan.") && id.getType() == Meter.Type.TIMER
          ? buckets(OF_PLANS, config)
          : config;
    }

    private static DistributionStatisticConfig buckets(
        List<Duration> bounds, DistributionStatisticConfig config) {
      return DistributionStatisticConfig.builder()
          .percentilesHistogram(false)
          .percentiles()
          .serviceLevelObjectives(bounds.stream().mapToDouble(Duration::toNanos).toArray())
          .build()
          .merge(config);
    }
  }
}
