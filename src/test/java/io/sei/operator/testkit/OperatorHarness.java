package io.sei.operator.testkit;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.SeiOperator;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.kube.WatchMonitor;
import io.sei.operator.node.feature.NodeFeature;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The operator inside this JVM, limited to one namespace, to be stopped and started at will. */
public final class OperatorHarness implements AutoCloseable {

  private final Config cluster;
  private final Map<String, String> environment;
  private final RequestLog requests = new RequestLog();
  private final KillSwitch killSwitch = new KillSwitch();
  private final WrongClock clock = new WrongClock();
  private Predicate<NodeFeature> nodeFeatures = feature -> true;
  private WatchMonitor watchMonitor;
  private KubernetesClient client;
  private SeiOperator operator;

  /**
   * @param cluster the user the operator acts as
   * @param sidecarUrlTemplate where sidecars are
   */
  public OperatorHarness(Config cluster, String namespace, String sidecarUrlTemplate) {
    this.cluster = cluster;
    this.environment =
        new HashMap<>(
            Map.ofEntries(
                Map.entry("SEI_WATCH_NAMESPACES", namespace),
                Map.entry("SEI_SIDECAR_URL_TEMPLATE", sidecarUrlTemplate),
                Map.entry("SEI_STORAGE_SIZE_DEFAULT", "10Gi"),
                Map.entry("SEI_GENESIS_BUCKET", "genesis"),
                Map.entry("SEI_GENESIS_REGION", "eu-1"),
                Map.entry("SEI_SNAPSHOT_BUCKET", "snapshots"),
                Map.entry("SEI_SNAPSHOT_REGION", "eu-1"),
                // A node of the simulated kubelet is Ready for good; tests of it set their own.
                Map.entry("SEI_CONFIRM_READY_AFTER_BLOCK", "0s"),
                // Namespaces of one cluster, each of a test of its own, have the same keys.
                Map.entry("SEI_SIGNING_SCOPE", "Namespaces")));
  }

  /** Sets an environment variable for the next start. */
  public OperatorHarness with(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** Leaves a feature of nodes out from the next start on. */
  public OperatorHarness without(Class<? extends NodeFeature> off) {
    nodeFeatures = feature -> feature.getClass() != off;
    return this;
  }

  /** Starts the operator and waits until its caches are full; one that cannot start is stopped. */
  public void start() {
    try {
      startOnce();
    } catch (RuntimeException e) {
      stop();
      throw e;
    }
  }

  private void startOnce() {
    watchMonitor = new WatchMonitor(Clock.systemUTC());
    client =
        KubernetesClients.create(
            cluster,
            watchMonitor,
            http ->
                http.addOrReplaceInterceptor("requests", requests)
                    .addOrReplaceInterceptor("kill-switch", killSwitch));
    operator =
        new SeiOperator(
            OperatorConfig.fromEnvironment(environment),
            client,
            watchMonitor,
            Optional.empty(),
            "test",
            clock,
            () -> {},
            nodeFeatures);
    operator.start();
  }

  /** Has it ask a Prometheus, ten times a second. */
  public OperatorHarness asking(PrometheusSimulator prometheus) {
    return with("SEI_PROMETHEUS_URL", prometheus.url()).with("SEI_PROMETHEUS_INTERVAL", "100ms");
  }

  /** Stops the operator, if it runs. */
  public void stop() {
    if (operator != null) {
      operator.close();
      operator = null;
    }
    if (client != null) {
      client.close();
      client = null;
    }
  }

  /** Returns whether it was started and not stopped since. */
  public boolean isRunning() {
    return operator != null;
  }

  /** Stops and starts again: a new process, as far as its memory goes. */
  public void restart() {
    stop();
    start();
  }

  /** Returns the requests of the operator to the API server, over all its starts. */
  public RequestLog requests() {
    return requests;
  }

  /** Returns the operator's clock. */
  public WrongClock clock() {
    return clock;
  }

  /** Measures the watches of the last start. */
  public WatchMonitor watchMonitor() {
    return watchMonitor;
  }

  /**
   * Returns the switch that ends the operator; a new start does not bring a dead one back by
   * itself.
   */
  public KillSwitch killSwitch() {
    return killSwitch;
  }

  /** Returns the operator's metrics, in the Prometheus text format. */
  public String scrape() {
    return operator.metrics().scrape();
  }

  @Override
  public void close() {
    stop();
  }
}
