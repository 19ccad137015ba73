package io.sei.operator.node;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.diagnosis.CrashedRun;
import io.sei.operator.diagnosis.LastWords;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.testkit.samples.End;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which part of a log is asked for. The server is an API server that knows one pod. */
class PodLogReaderTest {

  private static final String PANIC = "panic: runtime error: index out of range [recovered]\n\n";

  /** Stack of a goroutine as Go prints it, of which seid has thousands. */
  private static final String GOROUTINE =
      "goroutine 7 [select]:\nsei.loop(0x1)\n\tsei/loop.go:12 +0x1d\ncreated by sei.start\n\n";

  /** More than all that is buffered on the way. */
  private static final int ENDLESS_BYTES = 64 * 1024 * 1024;

  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final List<String> paths = new CopyOnWriteArrayList<>();
  private volatile String log = "";
  private volatile String message;
  private volatile boolean endless;
  private final AtomicInteger sent = new AtomicInteger();
  private HttpServer server;
  private KubernetesClient client;
  private PodLogReader reader;

  @BeforeEach
  void setUp() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withMasterUrl("http://localhost:" + server.getAddress().getPort())
                    .build())
            .build();
    reader = new PodLogReader(new KubeApi(client), Clock.systemUTC());
  }

  @AfterEach
  void tearDown() {
    client.close();
    server.stop(0);
  }

  @Test
  void endOfTheLogIsEnoughWhereItSaysWhy() {
    log = "time=1 level=INFO msg=x\n" + PANIC + GOROUTINE;

    assertThat(reader.read(run())).contains(log);
    assertThat(asked).singleElement().asString().contains("tailLines=2000");
  }

  /** An upgrade waits for these requests: the client's own call lists and watches the pod, too. */
  @Test
  void logCostsOneRequestBetweenTwoReadsOfItsPod() {
    log = PANIC + GOROUTINE;

    reader.read(run());

    String pod = "/api/v1/namespaces/chain/pods/node-0";
    assertThat(paths).containsExactly(pod, pod + "/log", pod);
  }

  @Test
  void panicBeforeThousandsOfGoroutinesIsReadFromJustBeforeTheEndOfTheRun() {
    log = PANIC + GOROUTINE.repeat(20_000);

    Optional<String> read = reader.read(run());

    assertThat(read.flatMap(LastWords::in).map(LastWords::line))
        .contains("panic: runtime error: index out of range [recovered]");
    assertThat(read.orElseThrow()).hasSizeLessThanOrEqualTo(1024 * 1024);
    assertThat(asked).hasSize(2);
    assertThat(asked.get(1)).contains("sinceTime=2026-11-25T09:00:20Z").doesNotContain("tail");
  }

  @Test
  void logWithoutTracesIsReadOnce() {
    log = "time=1 level=INFO msg=bye\n";

    assertThat(reader.read(run())).contains(log);
    assertThat(asked).hasSize(1);
  }

  @Test
  void tracesAloneAreWhatThereIs() {
    log = GOROUTINE;

    assertThat(reader.read(run())).contains(GOROUTINE);
  }

  /** The kubelet has started the next run, and its status is behind. */
  @Test
  void logThatDoesNotEndAsTheKubeletSaysIsOfAnotherRun() {
    message = GOROUTINE.repeat(20) + "\nmain.main()\n\tsei/main.go:46 +0x2d0\n";
    log = "time=1 level=INFO msg=starting\n";

    assertThatThrownBy(() -> reader.read(run())).hasMessageContaining("log of another run");

    log = PANIC + GOROUTINE + message;
    assertThat(reader.read(run())).contains(log);
  }

  @Test
  void messageThatMayBeTheWholeLogProvesNothingOfIt() {
    message = "bye";
    log = "time=1 level=INFO msg=starting\n";

    assertThat(reader.read(run())).contains(log);
  }

  /** A container runtime that splits no lines, or a kubelet that knows no limit. */
  @Test
  void littleIsReadOfALineThatDoesNotEnd() {
    endless = true;

    reader.read("default", "node-0");

    assertThat(asked).singleElement().asString().contains("tailLines=1");
    assertThat(sent).hasValueLessThan(ENDLESS_BYTES / 4);
  }

  private CrashedRun run() {
    return CrashedRun.of(pod()).orElseThrow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    boolean isLog = exchange.getRequestURI().getPath().endsWith("/log");
    String query = String.valueOf(exchange.getRequestURI().getQuery());
    paths.add(exchange.getRequestURI().getPath());
    if (isLog) {
      asked.add(query);
    }
    if (isLog && endless) {
      answerEndlessly(exchange);
      return;
    }
    byte[] body =
        (isLog ? log(query) : Serialization.asJson(pod())).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", isLog ? "text/plain" : "application/json");
    exchange.sendResponseHeaders(200, body.length);
    // Whoever has read enough hangs up.
    try (exchange) {
      exchange.getResponseBody().write(body);
    } catch (IOException e) {
      assertThat(query).contains("sinceTime");
    }
  }

  private void answerEndlessly(HttpExchange exchange) throws IOException {
    byte[] piece = "x".repeat(8192).getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, 0);
    try (exchange) {
      while (sent.get() < ENDLESS_BYTES) {
        exchange.getResponseBody().write(piece);
        sent.addAndGet(piece.length);
      }
    } catch (IOException e) {
      assertThat(sent).hasPositiveValue();
    }
  }

  private String log(String query) {
    List<String> lines = log.lines().toList();
    int from = query.contains("tailLines=2000") ? Math.max(0, lines.size() - 2000) : 0;
    return String.join("\n", lines.subList(from, lines.size())) + "\n";
  }

  private Pod pod() {
    var end =
        End.exit(2, message).ofRun("containerd://1").at(Instant.parse("2026-11-25T09:00:30Z"));
    return aPod("node-0")
        .namespace("chain")
        .uid("uid")
        .status("seid", sample -> sample.ended(end))
        .build();
  }
}
