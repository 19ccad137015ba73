package io.sei.operator.testkit.machine;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sei.operator.testkit.controlplane.ComponentProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * A real Prometheus that scrapes what the chart's monitors select on a {@link Machine}, of what is
 * there when it starts.
 */
public final class Prometheus implements AutoCloseable {

  private static final String INTERVAL = "1s";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final ComponentProcess process;
  private final String url;

  private Prometheus(ComponentProcess process, String url) {
    this.process = process;
    this.url = url;
  }

  /**
   * Starts it, and returns when it answers.
   *
   * @param directory for its files
   * @param manifests what the chart renders
   * @param rules files of rules
   */
  public static Prometheus start(
      Machine machine, Path directory, String manifests, List<Path> rules) {
    try {
      var targets = new DiscoveredTargets(machine.client());
      targets.writePods(directory.resolve("pod.json"));
      targets.writeEndpoints(directory.resolve("endpoints.json"));
      Path config = directory.resolve("prometheus.yaml");
      Files.writeString(config, new ScrapeConfig(directory, INTERVAL).of(manifests, rules));
      String address = "127.0.0.1:" + freePort();
      var process =
          ComponentProcess.start(
              "prometheus",
              machine.logs().resolve("prometheus.log"),
              List.of(
                  Tools.program("prometheus").toString(),
                  "--config.file=" + config,
                  "--storage.tsdb.path=" + directory.resolve("tsdb"),
                  "--web.listen-address=" + address));
      var prometheus = new Prometheus(process, "http://" + address);
      await("Prometheus")
          .atMost(Duration.ofMinutes(1))
          .ignoreException(UncheckedIOException.class)
          .until(prometheus::isReady);
      return prometheus;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The series that an expression gives now.
   *
   * @throws IllegalArgumentException if Prometheus refuses the expression
   */
  public List<JsonNode> query(String expression) {
    JsonNode answer = get("query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
    if (!answer.path("status").asText().equals("success")) {
      throw new IllegalArgumentException(expression + ": " + answer.path("error").asText());
    }
    return list(answer.at("/data/result"));
  }

  /** What is wrong with rules, each with its name; empty once all were evaluated without error. */
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

  private boolean isReady() {
    process.requireAlive();
    return request("/-/ready").statusCode() == 200;
  }

  private JsonNode get(String path) {
    try {
      return JSON.readTree(request("/api/v1/" + path).body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private HttpResponse<String> request(String path) {
    try {
      return http.send(
          HttpRequest.newBuilder(URI.create(url + path)).build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while asking Prometheus", e);
    }
  }

  private static List<JsonNode> list(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).toList();
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    process.kill();
  }
}
