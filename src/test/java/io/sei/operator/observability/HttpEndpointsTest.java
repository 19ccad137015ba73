package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
class HttpEndpointsTest {
  private final AtomicReference<HealthReport> alive = new AtomicReference<>(HealthReport.ok());
  private final AtomicReference<HealthReport> ready = new AtomicReference<>(HealthReport.ok());
  private final AtomicInteger scraping = new AtomicInteger();
  private final HttpClient http = HttpClient.newHttpClient();
  private HttpEndpoints endpoints;

  @BeforeEach
  void setUp() {
    endpoints =
        HttpEndpoints.start(0, 0, () -> "sei_up 1\n", alive::get, ready::get, Clock.systemUTC());
  }

  @AfterEach
  void tearDown() {
    endpoints.close();
  }

  @Test
  void servesMetrics() throws Exception {
    var answer = get(endpoints.metricsPort(), "/metrics");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("sei_up 1\n");
    assertThat(answer.headers().firstValue("content-type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
  }

  @Test
  void servesProbes() throws Exception {
    assertThat(get(endpoints.healthPort(), "/healthz").statusCode()).isEqualTo(200);
    assertThat(get(endpoints.healthPort(), "/readyz").body()).isEqualTo("ok\n");

    alive.set(new HealthReport(List.of("threads are gone"), List.of()));
    ready.set(new HealthReport(List.of("no cache", "no luck"), List.of("leader: false")));

    assertThat(get(endpoints.healthPort(), "/healthz").statusCode()).isEqualTo(503);
    var answer = get(endpoints.healthPort(), "/readyz");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).isEqualTo("not ok\n- no cache\n- no luck\nleader: false\n");
  }

  @ParameterizedTest
  @CsvSource({"/, 404", "/metricsx, 404", "/metrics/x, 404", "/healthz, 404", "/metrics?a=b, 200"})
  void servesNothingElse(String path, int status) throws Exception {
    assertThat(get(endpoints.metricsPort(), path).statusCode()).isEqualTo(status);
  }

  @ParameterizedTest
  @CsvSource({"HEAD, 200", "POST, 405", "DELETE, 405"})
  void isReadOnly(String method, int status) throws Exception {
    var answer = ask(method, endpoints.healthPort(), "/healthz");

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.body().isEmpty()).isEqualTo(method.equals("HEAD"));
  }

  @Test
  void aPageThatFailsIsAnError() throws Exception {
    ready.set(null);

    assertThat(get(endpoints.healthPort(), "/readyz").statusCode()).isEqualTo(500);
    assertThat(get(endpoints.healthPort(), "/healthz").statusCode()).isEqualTo(200);
  }

  @Test
  void scrapesThatHangDoNotFailProbes() throws Exception {
    var over = new CountDownLatch(1);
    try (var hanging =
        HttpEndpoints.start(
            0, 0, () -> hang(over), HealthReport::ok, HealthReport::ok, Clock.systemUTC())) {
      for (int i = 0; i < 5; i++) {
        var uri = uri(hanging.metricsPort(), "/metrics");
        http.sendAsync(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding());
      }
      await().until(() -> scraping.get() > 0);

      assertThat(get(hanging.healthPort(), "/healthz").statusCode()).isEqualTo(200);
    } finally {
      over.countDown();
    }
  }

  @Test
  void aTakenPortIsNamedAndTheOtherGivenBack() throws Exception {
    int free;
    try (var socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }
    int taken = endpoints.healthPort();

    assertThatThrownBy(
            () ->
                HttpEndpoints.start(
                    free, taken, () -> "", HealthReport::ok, HealthReport::ok, Clock.systemUTC()))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageStartingWith("cannot listen on the health port " + taken);
    try (var again =
        HttpEndpoints.start(
            free, 0, () -> "", HealthReport::ok, HealthReport::ok, Clock.systemUTC())) {
      assertThat(again.metricsPort()).isEqualTo(free);
    }
  }

  private String hang(CountDownLatch over) {
    scraping.incrementAndGet();
    try {
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return "";
  }

  private HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
    return ask("GET", port, path);
  }

  private HttpResponse<String> ask(String method, int port, String path)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(uri(port, path)).method(method, BodyPublishers.noBody()).build(),
        BodyHandlers.ofString());
  }

  private static URI uri(int port, String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }
}
