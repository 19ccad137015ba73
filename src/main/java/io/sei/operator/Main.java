package io.sei.operator;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.config.ConfigException;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.observability.HttpEndpoints;
import io.sei.operator.observability.OperatorHealth;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operator's process. */
public final class Main {

  private Main() {}

  /**
   * Runs until it is told to stop (SIGTERM) or loses its lease. Exits with 1 if it cannot start; a
   * setting that is not allowed is named in one line.
   */
  public static void main(String[] args) {
    try {
      start(OperatorConfig.fromEnvironment(System.getenv()));
    } catch (ConfigException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    } catch (RuntimeException e) {
      LoggerFactory.getLogger(Main.class).error("Cannot start: {}", e.getMessage(), e);
      System.exit(1);
    }
  }

  private static void start(OperatorConfig config) {
    Logger log = LoggerFactory.getLogger(Main.class);
    String host = host();
    KubernetesClient client = KubernetesClients.create();
    var leadership = new Leadership(config.leaderElection(), client.getNamespace(), host);
    var operator =
        new SeiOperator(
            config,
            client,
            config.leaderElection().enabled()
                ? Optional.of(leadership.configuration())
                : Optional.empty(),
            host);
    var health =
        new OperatorHealth(operator.framework(), operator.controllers(), leadership::isLeading);
    var endpoints =
        HttpEndpoints.start(
            config.process().metricsPort(),
            config.process().healthPort(),
            operator.metrics()::scrape,
            health::liveness,
            health::readiness);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  log.info("Stopping");
                  leadership.beginShutdown();
                  operator.close();
                  leadership.release(client);
                  endpoints.close();
                  client.close();
                  log.info("Stopped");
                  // The JVM would report the signal (143); a stop that was asked for is no failure.
                  Runtime.getRuntime().halt(0);
                },
                "shutdown"));
    operator.start();
    log.info("Started");
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "sei-operator";
    }
  }
}
