package io.sei.operator.observability;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operator's two ports: one for metrics, one for probes. Every pod of the cluster may be able
 * to connect to them, so that connections that hang must not keep probes from being answered.
 */
public final class HttpEndpoints implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HttpEndpoints.class);

  private static final String PLAIN_TEXT = "text/plain; charset=utf-8";
  private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

  /** Concurrent scrapes. Probes have no limit: an attacker could use it up. */
  private static final int CONCURRENT_SCRAPES = 64;

  /** Connections that may wait to be accepted, a probe's among them. */
  private static final int BACKLOG = 1024;

  /** Bytes of one write: the JDK copies a write as a whole for each connection. */
  private static final int PIECE = 16 * 1024;

  // The JDK's server reads them once, when the first one is created. In seconds, milliseconds and
  // bytes; without them a connection may take for ever, and the server reads bodies to their end.
  static {
    Map.of(
            "sun.net.httpserver.maxReqTime", "2",
            "sun.net.httpserver.maxRspTime", "5",
            "sun.net.httpserver.clockTick", "1000",
            "sun.net.httpserver.drainAmount", "0",
            "sun.net.httpserver.maxReqHeaderSize", "8192")
        .forEach(
            (limit, value) -> {
              if (System.getProperty(limit) == null) {
                System.setProperty(limit, value);
              }
            });
  }

  private record Page(int status, String contentType, byte[] body) {

    static Page plain(int status, String text) {
      return new Page(status, PLAIN_TEXT, text.getBytes(UTF_8));
    }
  }

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
   * @param steady never set back
   * @throws UncheckedIOException if a port cannot be had; the message names it
   */
  public static HttpEndpoints start(
      int metricsPort,
      int healthPort,
      Supplier<String> scrape,
      Supplier<HealthReport> liveness,
      Supplier<HealthReport> readiness,
      Clock steady) {
    var page = new RecentText(scrape, steady);
    var metrics =
        listen(
            "metrics",
            metricsPort,
            new Semaphore(CONCURRENT_SCRAPES),
            Map.of("/metrics", () -> new Page(200, PROMETHEUS_TEXT, page.get())));
    try {
      return new HttpEndpoints(
          metrics,
          listen(
              "health",
              healthPort,
              new Semaphore(Integer.MAX_VALUE),
              Map.of(
                  "/healthz", () -> page(liveness.get()), "/readyz", () -> page(readiness.get()))));
    } catch (UncheckedIOException e) {
      metrics.stop(0);
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
    metrics.stop(0);
    health.stop(0);
  }

  private static HttpServer listen(
      String name, int port, Semaphore answers, Map<String, Supplier<Page>> pages) {
    try {
      var server = HttpServer.create(new InetSocketAddress(port), BACKLOG);
      var threads = new RequestThreads("http-" + name);
      server.setExecutor(threads);
      server.createContext(
          "/",
          exchange -> {
            threads.arrived();
            serve(exchange, answers, pages);
          });
      server.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot listen on the %s port %d: %s".formatted(name, port, e.getMessage()), e);
    }
  }

  private static void serve(
      HttpExchange exchange, Semaphore answers, Map<String, Supplier<Page>> pages)
      throws IOException {
    try (exchange) {
      if (!answers.tryAcquire()) {
        send(exchange, Page.plain(503, "too many requests at a time\n"));
        return;
      }
      try {
        send(exchange, page(exchange, pages));
      } finally {
        answers.release();
      }
    }
  }

  private static void send(HttpExchange exchange, Page page) throws IOException {
    byte[] body = page.body();
    boolean head = exchange.getRequestMethod().equals("HEAD");
    exchange.getResponseHeaders().set("Content-Type", page.contentType());
    exchange.sendResponseHeaders(page.status(), head || body.length == 0 ? -1 : body.length);
    for (int sent = 0; !head && sent < body.length; sent += PIECE) {
      exchange.getResponseBody().write(body, sent, Math.min(PIECE, body.length - sent));
    }
  }

  /**
   * Returns whether a request has a body: it is refused unread, as a thread would wait for its end.
   */
  private static boolean hasBody(HttpExchange exchange) {
    String length = exchange.getRequestHeaders().getFirst("Content-Length");
    return exchange.getRequestHeaders().containsKey("Transfer-Encoding")
        || (length != null && !length.equals("0"));
  }

  private static Page page(HttpExchange exchange, Map<String, Supplier<Page>> pages)
      throws IOException {
    if (hasBody(exchange)) {
      return Page.plain(400, "no body is expected\n");
    }
    // The end of an empty body; without it the server would close the connection of each request.
    exchange.getRequestBody().read();
    String path = exchange.getRequestURI().getPath();
    if (!pages.containsKey(path)) {
      return Page.plain(404, "not found\n");
    }
    if (!Set.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
      return Page.plain(405, "only GET and HEAD\n");
    }
    try {
      return pages.get(path).get();
    } catch (RuntimeException e) {
      log.warn("Cannot answer {}", path, e);
      return Page.plain(500, "error\n");
    }
  }

  private static Page page(HealthReport report) {
    return Page.plain(report.healthy() ? 200 : 503, report.text());
  }
}
