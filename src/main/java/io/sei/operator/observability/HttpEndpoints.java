package io.sei.operator.observability;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operator's two ports: one for metrics, one for probes. They share no thread, so that a slow
 * scrape never fails a probe.
 */
public final class HttpEndpoints implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HttpEndpoints.class);

  private static final String PLAIN_TEXT = "text/plain; charset=utf-8";
  private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

  /** A scraper and a person at a time; more than that waits. */
  private static final int THREADS_PER_PORT = 2;

  private record Page(int status, String contentType, String body) {}

  private final HttpServer metrics;
  private final HttpServer health;

  private HttpEndpoints(HttpServer metrics, HttpServer health) {
    this.metrics = metrics;
    this.health = health;
  }

  /**
   * Listens on all addresses.
   *
   * @param metricsPort port of /metrics, 0 for any free one
   * @param healthPort port of /healthz and /readyz, 0 for any free one
   * @param scrape gives the Prometheus text format
   * @param liveness answers /healthz: 200, or 503 when a restart would help
   * @param readiness answers /readyz: 200, or 503 with what is missing
   * @throws UncheckedIOException if a port cannot be had; the message names it
   */
  public static HttpEndpoints start(
      int metricsPort,
      int healthPort,
      Supplier<String> scrape,
      Supplier<HealthReport> liveness,
      Supplier<HealthReport> readiness) {
    var metrics =
        listen(
            "metrics",
            metricsPort,
            Map.of("/metrics", () -> new Page(200, PROMETHEUS_TEXT, scrape.get())));
    try {
      return new HttpEndpoints(
          metrics,
          listen(
              "health",
              healthPort,
              Map.of(
                  "/healthz", () -> page(liveness.get()), "/readyz", () -> page(readiness.get()))));
    } catch (UncheckedIOException e) {
      stop(metrics);
      throw e;
    }
  }

  /** The port that serves metrics. */
  public int metricsPort() {
    return metrics.getAddress().getPort();
  }

  /** The port that serves probes. */
  public int healthPort() {
    return health.getAddress().getPort();
  }

  /** Stops listening at once. */
  @Override
  public void close() {
    stop(metrics);
    stop(health);
  }

  private static HttpServer listen(String name, int port, Map<String, Supplier<Page>> pages) {
    try {
      var server = HttpServer.create(new InetSocketAddress(port), 0);
      server.setExecutor(
          Executors.newFixedThreadPool(
              THREADS_PER_PORT, Thread.ofPlatform().daemon().name("http-" + name).factory()));
      server.createContext("/", exchange -> serve(exchange, pages));
      server.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot listen on the %s port %d: %s".formatted(name, port, e.getMessage()), e);
    }
  }

  private static void stop(HttpServer server) {
    server.stop(0);
    ((ExecutorService) server.getExecutor()).shutdownNow();
  }

  private static void serve(HttpExchange exchange, Map<String, Supplier<Page>> pages)
      throws IOException {
    try (exchange) {
      var page = page(exchange, pages);
      var body = page.body().getBytes(UTF_8);
      boolean head = exchange.getRequestMethod().equals("HEAD");
      exchange.getResponseHeaders().set("Content-Type", page.contentType());
      exchange.sendResponseHeaders(page.status(), head || body.length == 0 ? -1 : body.length);
      if (!head) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  private static Page page(HttpExchange exchange, Map<String, Supplier<Page>> pages) {
    String path = exchange.getRequestURI().getPath();
    if (!pages.containsKey(path)) {
      return new Page(404, PLAIN_TEXT, "not found\n");
    }
    if (!Set.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
      return new Page(405, PLAIN_TEXT, "only GET and HEAD\n");
    }
    try {
      return pages.get(path).get();
    } catch (RuntimeException e) {
      log.warn("Cannot answer {}", path, e);
      return new Page(500, PLAIN_TEXT, "error\n");
    }
  }

  private static Page page(HealthReport report) {
    return new Page(report.healthy() ? 200 : 503, PLAIN_TEXT, report.text());
  }
}
