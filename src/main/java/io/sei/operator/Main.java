package io.sei.operator;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.base.ReconcileThreads;
import io.sei.operator.base.UntrustedHttp;
import io.sei.operator.config.ConfigException;
import io.sei.operator.config.LeaderElectionConfig;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.config.UrlTemplate;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.kube.WatchMonitor;
import io.sei.operator.observability.HttpEndpoints;
import io.sei.operator.observability.OperatorHealth;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operator's process. */
public final class Main {

  private Main() {}

  /**
   * Runs until it receives SIGTERM or loses its lease. Exits with 1 if it cannot start; a
   * misconfiguration is reported in one line on stderr.
   *
   * @param args none; or {@code check SERVICE URL} to {@link InstallationCheck} and end
   */
  public static void main(String[] args) {
    UntrustedHttp.limitHeads();
    try {
      if (args.length == 3 && args[0].equals(InstallationCheck.COMMAND)) {
        check(args[1], new UrlTemplate(args[2]));
        return;
      }
      OperatorConfig config = OperatorConfig.fromEnvironment(System.getenv());
      ReconcileThreads.reserveProcessors(config.process().reconcileThreads());
      start(config);
    } catch (ConfigException | StartFailure e) {
      System.err.println(e.getMessage());
      fail();
    } catch (RuntimeException e) {
      LoggerFactory.getLogger(Main.class).debug("Cannot start", e);
      System.err.println(new StartFailure("Cannot start: " + StartFailure.causes(e)).getMessage());
      fail();
    }
  }

  private static void check(String service, UrlTemplate readiness) {
    try (KubernetesClient client = KubernetesClients.create(KubernetesClients.config())) {
      System.out.print(InstallationCheck.run(client, service, readiness));
    }
  }

  /** Ends the process without exit, which would run the shutdown hook, which reports success. */
  private static void fail() {
    Runtime.getRuntime().halt(1);
  }

  private static void start(OperatorConfig config) {
    Logger log = LoggerFactory.getLogger(Main.class);
    config.warnings().forEach(log::warn);
    String host = host();
    Config cluster = KubernetesClients.config();
    LeaderElectionConfig election = config.leaderElection().of(config.process().shard());
    String namespace = election.leaseNamespace().orElse(cluster.getNamespace());
    var lease = HeldLease.ofReplica(namespace, election.leaseName(), host, Main::fail);
    var watchMonitor = new WatchMonitor(new SteadyClock());
    KubernetesClient client =
        KubernetesClients.create(
            cluster, watchMonitor, http -> http.addOrReplaceInterceptor("lease", lease));
    Prerequisites.check(client);
    var crds = CrdGate.looking(client);
    var operator =
        new SeiOperator(
            config,
            client,
            watchMonitor,
            election.enabled() ? Optional.of(lease.election()) : Optional.empty(),
            host,
            Clock.systemUTC(),
            Main::fail,
            feature -> true);
    var health =
        new OperatorHealth(
            operator.framework(),
            operator.controllers(),
            () -> !election.enabled() || lease.isHeld(),
            watchMonitor::deaf);
    var endpoints =
        HttpEndpoints.start(
            config.process().metricsPort(),
            config.process().healthPort(),
            operator.metrics()::scrape,
            health::liveness,
            () -> crds.readiness(operator.readiness(health.readiness())),
            new SteadyClock());
    log.info(
        "Serving metrics on port {} and health on port {}",
        endpoints.metricsPort(),
        endpoints.healthPort());
    var started = new AtomicBoolean();
    stopWhenAsked(
        () -> {
          lease.beginShutdown();
          // Closing would wait for a start in progress, which may wait for the API server.
          if (!started.get()) {
            return;
          }
          operator.close();
          if (election.enabled()) {
            lease.release(client);
          }
        },
        log);
    crds.await();
    operator.awaitOtherInstallation();
    if (config.process().shard().isPart()) {
      holdWithOtherShards(config, client, namespace);
    }
    crds.watch(Main::fail);
    lease.watch();
    operator.start();
    started.set(true);
    IdleHeap.watch();
    log.info("Started");
  }

  private static void holdWithOtherShards(
      OperatorConfig config, KubernetesClient client, String namespace) {
    Clock clock = Clock.systemUTC();
    var lease =
        HeldLease.ofShards(
            namespace,
            config.leaderElection().leaseName(),
            config.process().shard().count(),
            Main::fail);
    Prerequisites.await(HeldLease.RETRY_PERIOD, () -> lease.acquire(client, clock));
    lease.keep(client, clock);
    lease.watch();
  }

  private static void stopWhenAsked(Runnable stop, Logger log) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  log.info("Stopping");
                  stop.run();
                  log.info("Stopped");
                  // The JVM would report the signal (143); a stop that was asked for is no failure.
                  Runtime.getRuntime().halt(0);
                },
                "shutdown"));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "sei-operator";
    }
  }
}
