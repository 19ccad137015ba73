package io.sei.operator.observability;

import io.sei.operator.observability.HttpEndpoint.Page;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The operator's two ports: one for metrics, one for probes. They share no thread, so that a slow
 * scrape never fails a probe.
 */
public final class HttpEndpoints implements AutoCloseable {
  private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

  private final HttpEndpoint metrics;
  private final HttpEndpoint health;

  private HttpEndpoints(HttpEndpoint metrics, HttpEndpoint health) {
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
   * @throws UncheckedIOException if a port cannot be had
   */
  public static HttpEndpoints start(
      int metricsPort,
      int healthPort,
      Supplier<String> scrape,
      Supplier<HealthReport> liveness,
      Supplier<HealthReport> readiness) {
    var metrics =
        new HttpEndpoint(
            "metrics",
            metricsPort,
            Map.of("/metrics", () -> new Page(200, PROMETHEUS_TEXT, scrape.get())));
    try {
      var health =
          new HttpEndpoint(
              "health",
              healthPort,
              Map.of(
                  "/healthz", () -> page(liveness.get()), "/readyz", () -> page(readiness.get())));
      return new HttpEndpoints(metrics, health);
    } catch (UncheckedIOException e) {
      metrics.close();
      throw e;
    }
  }

  /** The port that serves metrics. */
  public int metricsPort() {
    return metrics.port();
  }

  /** The port that serves probes. */
  public int healthPort() {
    return health.port();
  }

  /** Stops listening at once. */
  @Override
  public void close() {
    metrics.close();
    health.close();
  }

  private static Page page(HealthReport report) {
    return Page.text(report.healthy() ? 200 : 503, report.text());
  }
}
