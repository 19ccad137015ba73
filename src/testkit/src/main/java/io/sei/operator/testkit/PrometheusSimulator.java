package io.sei.operator.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Answers as Prometheus 2.42 was seen to answer the operator's one query, whatever the query is.
 */
public final class PrometheusSimulator implements AutoCloseable {

  private static final String ANSWER =
      "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[%s]}}";

  private static final String SERIES =
      """
      {"metric":{"namespace":"%s","of":"%s","persistentvolumeclaim":"%s"},"value":[%s,"%s"]}\
      """;

  private record Claim(String namespace, String name) {}

  private record Volume(double capacity, double available, int pace) {}

  private final HttpServer server;
  private final Map<Claim, Volume> volumes = new ConcurrentHashMap<>();
  private final AtomicInteger asked = new AtomicInteger();

  /** Starts it, without a volume. */
  public PrometheusSimulator() {
    try {
      server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(
        Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("prometheus-simulator").factory()));
    server.createContext("/api/v1/query", this::answer);
    server.start();
  }

  /** Its address. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Sets the size of a claim, and the part of it that is used. */
  public void says(String namespace, String claim, String size, int usedPercent) {
    says(namespace, claim, size, usedPercent, 100);
  }

  /** Sets the size of a claim that fills by a number of bytes in a second. */
  public void says(String namespace, String claim, String size, int usedPercent, int pace) {
    double capacity = new Quantity(size).getNumericalAmount().doubleValue();
    volumes.put(
        new Claim(namespace, claim),
        new Volume(capacity, capacity * (100 - usedPercent) / 100, pace));
  }

  /** Returns the number of queries. */
  public int asked() {
    return asked.get();
  }

  private void answer(HttpExchange exchange) throws IOException {
    asked.incrementAndGet();
    double now = Instant.now().toEpochMilli() / 1000.0;
    String series =
        volumes.entrySet().stream()
            .flatMap(entry -> series(entry.getKey(), entry.getValue(), now))
            .collect(Collectors.joining(","));
    byte[] body = ANSWER.formatted(series).getBytes(UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static Stream<String> series(Claim claim, Volume volume, double now) {
    return Stream.of(
            Map.entry("AVAILABLE", volume.available()),
            Map.entry("CAPACITY", volume.capacity()),
            Map.entry("READ_AT", now - 1),
            Map.entry("PACE", (double) volume.pace()))
        .map(
            entry ->
                SERIES.formatted(
                    claim.namespace(), entry.getKey(), claim.name(), now, entry.getValue()));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
