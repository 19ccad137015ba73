package io.sei.operator.testkit.machine;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.testkit.PrometheusServer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * A real Prometheus on a {@link Machine}, where pods reach it. It scrapes what the chart's monitors
 * select, of what is there when it starts, and the kubelet.
 */
public final class Prometheus implements AutoCloseable {

  private static final String INTERVAL = "1s";

  /** Scrapes kubelets like kube-prometheus, with their own labels and certificates. */
  private static final String KUBELET =
      """
      - job_name: %s
        metrics_path: %s
        scheme: https
        scrape_interval: %s
        honor_labels: true
        tls_config: {insecure_skip_verify: true}
        static_configs: [{targets: ["%s:10250"]}]
      """;

  private final PrometheusServer server;
  private final Path directory;
  private final DiscoveredTargets targets;

  private Prometheus(PrometheusServer server, Path directory, DiscoveredTargets targets) {
    this.server = server;
    this.directory = directory;
    this.targets = targets;
  }

  /**
   * Starts it, and returns when it answers.
   *
   * @param directory for its files
   * @param rules files of rules
   */
  public static Prometheus start(Machine machine, Path directory, List<Path> rules) {
    var targets = new DiscoveredTargets(machine.client());
    discover(targets, directory);
    String kubelet = kubelet("kubelet", "/metrics") + kubelet("cadvisor", "/metrics/cadvisor");
    String config = new ScrapeConfig(directory, INTERVAL).of(monitors(machine), kubelet, rules);
    return start(machine, directory, targets, config);
  }

  /**
   * Starts one that scrapes the kubelet, and returns when it answers.
   *
   * @param directory for its files
   */
  public static Prometheus ofKubelet(Machine machine, Path directory) {
    var targets = new DiscoveredTargets(machine.client());
    return start(machine, directory, targets, "scrape_configs:\n" + kubelet("kubelet", "/metrics"));
  }

  private static String kubelet(String job, String path) {
    return KUBELET.formatted(job, path, INTERVAL, Machine.ADDRESS);
  }

  private static Prometheus start(
      Machine machine, Path directory, DiscoveredTargets targets, String config) {
    var server =
        PrometheusServer.start(
            Tools.program("prometheus"),
            directory,
            machine.logs().resolve("prometheus.log"),
            config,
            Machine.ADDRESS);
    return new Prometheus(server, directory, targets);
  }

  /** Returns the URL for pods. */
  public String url() {
    return server.url();
  }

  /** Renders the chart, with its monitors. */
  private static String monitors(Machine machine) {
    return machine.helm(
        "template",
        Machine.OPERATOR,
        "deploy/helm/sei-operator",
        "--namespace",
        Machine.OPERATOR,
        "--kube-version",
        machine.client().getKubernetesVersion().getGitVersion(),
        "--set",
        "serviceMonitor.enabled=true,podMonitor.enabled=true");
  }

  /** Has it scrape what is there now. */
  public void discover() {
    discover(targets, directory);
  }

  private static void discover(DiscoveredTargets targets, Path directory) {
    targets.writePods(directory.resolve("pod.json"));
    targets.writeEndpoints(directory.resolve("endpoints.json"));
  }

  /**
   * The series that an expression gives now.
   *
   * @throws IllegalArgumentException if Prometheus refuses the expression
   */
  public List<JsonNode> query(String expression) {
    return series("query?", expression);
  }

  /** The series that an expression gave at a moment. */
  public List<JsonNode> query(String expression, Instant at) {
    return series("query?time=" + at + "&", expression);
  }

  /**
   * The series that an expression gave from one moment to another, with so many seconds between.
   */
  public List<JsonNode> history(String expression, Instant from, Instant to, long step) {
    return series("query_range?start=%s&end=%s&step=%d&".formatted(from, to, step), expression);
  }

  private List<JsonNode> series(String request, String expression) {
    JsonNode answer =
        get(request + "query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
    if (!answer.path("status").asText().equals("success")) {
      throw new IllegalArgumentException(expression + ": " + answer.path("error").asText());
    }
    return list(answer.at("/data/result"));
  }

  /**
   * Returns the faults of rules, each with its name; empty once all were evaluated without error.
   */
  public List<String> badRules() {
    List<String> bad = new ArrayList<>();
    for (JsonNode group : get("rules").at("/data/groups")) {
      for (JsonNode rule : group.get("rules")) {
        if (!rule.get("health").asText().equals("ok")) {
          bad.add(rule.get("name").asText() + ": " + rule.get("health") + rule.path("lastError"));
        }
      }
    }
    return bad;
  }

  /** The targets that a job has, with their labels, health and last error. */
  public List<JsonNode> targets(String job) {
    return list(get("targets").at("/data/activeTargets")).stream()
        .filter(target -> target.get("scrapePool").asText().equals(job))
        .toList();
  }

  private JsonNode get(String path) {
    return server.get(path);
  }

  private static List<JsonNode> list(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).toList();
  }

  @Override
  public void close() {
    server.close();
  }
}
