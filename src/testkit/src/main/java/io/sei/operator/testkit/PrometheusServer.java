package io.sei.operator.testkit;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sei.operator.testkit.controlplane.ComponentProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A real Prometheus. */
public final class PrometheusServer implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final ComponentProcess process;
  private final String url;

  private PrometheusServer(ComponentProcess process, String url) {
    this.process = process;
    this.url = url;
  }

  /**
   * Starts it, and returns when it answers.
   *
   * @param program its executable
   * @param directory for its files
   * @param config its configuration
   */
  public static PrometheusServer start(Path program, Path directory, Path log, String config) {
    return start(program, directory, log, config, "127.0.0.1");
  }

  /**
   * Starts a server at another address of the machine.
   *
   * @param host where it listens
   */
  public static PrometheusServer start(
      Path program, Path directory, Path log, String config, String host) {
    try {
      Path file = Files.writeString(directory.resolve("prometheus.yaml"), config);
      String address = host + ":" + freePort(host);
      var process =
          ComponentProcess.start(
              "prometheus",
              log,
              List.of(
                  program.toString(),
                  "--config.file=" + file,
                  "--storage.tsdb.path=" + directory.resolve("tsdb"),
                  "--web.listen-address=" + address));
      var server = new PrometheusServer(process, "http://" + address);
      await("Prometheus")
          .atMost(Duration.ofMinutes(1))
          .ignoreException(UncheckedIOException.class)
          .until(server::isReady);
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the URL of the server. */
  public String url() {
    return url;
  }

  /** Returns the answer of its API below {@code /api/v1/}. */
  public JsonNode get(String path) {
    try {
      return JSON.readTree(request("/api/v1/" + path).body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isReady() {
    process.requireAlive();
    return request("/-/ready").statusCode() == 200;
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

  private static int freePort(String host) throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getByName(host))) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    process.kill();
  }
}
