package io.sei.operator.kube;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.WebSocketUpgradeResponse;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests to an API server that was away, is overloaded or has not read its roles yet. */
class ApiServerStartTest {

  private static final Instant STARTED = Instant.EPOCH;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private record Received(Instant at, String path, boolean isWatch) {}

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Queue<Integer> answers = new ConcurrentLinkedQueue<>();
  private final List<Received> received = new CopyOnWriteArrayList<>();
  private volatile Instant now = STARTED;
  private HttpServer server;
  private KubernetesClient client;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .build();
    client = KubernetesClients.create(config, new WatchMonitor(() -> now), _ -> {});
  }

  @AfterEach
  void stop() {
    client.close();
    server.stop(0);
    threads.shutdownNow();
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403})
  void aDenialSoonAfterTheServerWasAwayIsRepeated(int denial) {
    assertThat(codeOf(STARTED, List.of(denial, 200))).isEqualTo(200);
    assertThat(answers).isEmpty();
  }

  @Test
  void aDenialThatLastsCounts() {
    assertThat(codeOf(STARTED.minusSeconds(10), List.of(403, 200))).isEqualTo(403);
    assertThat(answers).containsExactly(200);
  }

  @Test
  void whatIsNoDenialIsNotRepeated() {
    assertThat(codeOf(STARTED, List.of(404, 200))).isEqualTo(404);
  }

  /** The answer to a request at 0, of a server that was last unreachable at this time. */
  private int codeOf(Instant unreachableAt, List<Integer> codes) {
    var start = new ApiServerStart(() -> now, Duration.ofSeconds(10));
    now = unreachableAt;
    start.afterConnectionFailure(null, new IOException("refused"));
    now = STARTED;
    answers.addAll(codes);
    return start
        .send(
            () ->
                CompletableFuture.<HttpResponse<Void>>completedFuture(
                    new WebSocketUpgradeResponse(null, answers.remove())))
        .join()
        .code();
  }

  @Test
  void aDenialOfAServerThatWasNotAwayCountsAtOnce() {
    answers.add(403);

    assertDenied();
    assertThat(received).hasSize(1);
  }

  @Test
  void aListWaitsForAsLongAsAnOverloadedServerAsks() {
    answers.addAll(List.of(429, 429));

    assertThat(list()).isEmpty();

    assertThat(received).hasSize(3);
    assertThat(pauses(received)).allMatch(pause -> pause.compareTo(RETRY_AFTER) >= 0);
  }

  @Test
  void aWatchWaitsForAsLongAsAnOverloadedServerAsks() {
    answers.addAll(List.of(200, 429, 429));

    try (SharedIndexInformer<Pod> _ = client.pods().inNamespace("sei").inform()) {
      List<Received> watches =
          await()
              .until(() -> received.stream().filter(Received::isWatch).toList(), w -> w.size() > 2);

      assertThat(pauses(watches.subList(0, 3)))
          .allMatch(pause -> pause.compareTo(RETRY_AFTER) >= 0);
    }
  }

  private List<Pod> list() {
    return client.pods().inNamespace("sei").list().getItems();
  }

  private void assertDenied() {
    assertThatThrownBy(this::list)
        .isInstanceOfSatisfying(
            KubernetesClientException.class, denied -> assertThat(denied.getCode()).isEqualTo(403));
  }

  private static List<Duration> pauses(List<Received> requests) {
    return IntStream.range(1, requests.size())
        .mapToObj(i -> Duration.between(requests.get(i - 1).at(), requests.get(i).at()))
        .toList();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String query = String.valueOf(exchange.getRequestURI().getQuery());
      received.add(
          new Received(
              Instant.now(), exchange.getRequestURI().getPath(), query.contains("watch=true")));
      Integer next = answers.poll();
      int status = next == null ? 200 : next;
      if (status == 429) {
        exchange.getResponseHeaders().set("Retry-After", String.valueOf(RETRY_AFTER.toSeconds()));
      }
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      byte[] body =
          status == 200
              ? bytes(
                  "{'kind':'PodList','apiVersion':'v1','metadata':{'resourceVersion':'1'},'items':[]}")
              : bytes(
                  "{'kind':'Status','apiVersion':'v1','status':'Failure','code':%d}"
                      .formatted(status));
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static byte[] bytes(String json) {
    return json.replace('\'', '"').getBytes(UTF_8);
  }
}
