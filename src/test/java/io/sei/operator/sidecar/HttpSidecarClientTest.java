package io.sei.operator.sidecar;

import static io.sei.operator.sidecar.SidecarTask.Status.FAILED;
import static io.sei.operator.sidecar.SidecarTask.Status.RUNNING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sei.operator.config.SidecarConfig;
import io.sei.operator.config.UrlTemplate;
import io.sei.operator.sidecar.ScriptedSidecar.Request;
import io.sei.operator.sidecar.SidecarException.Kind;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class HttpSidecarClientTest {
  private static final SidecarAddress NODE =
      new SidecarAddress("sei", "rpc-0", Optional.empty(), Optional.empty());
  private static final String ID = "0b1f0f2a-8a35-5d2e-9a53-4f6a2c7f5a11";

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final CountDownLatch over = new CountDownLatch(1);
  private ScriptedSidecar server;
  private HttpSidecarClient client;

  @AfterEach
  void tearDown() {
    over.countDown();
    if (client != null) {
      client.close();
    }
    if (server != null) {
      server.close();
    }
  }

  @ParameterizedTest
  @CsvSource({"running, RUNNING", "completed, COMPLETED", "failed, FAILED", "queued, RUNNING"})
  void looksUpATask(String word, SidecarTask.Status status) {
    serve(
        200,
        """
        {"id":"%s","type":"mark-ready","status":"%s","run":3,"error":"no\\nluck","more":{}}
        """
            .formatted(ID, word));

    assertThat(client.lookup(NODE, ID))
        .contains(new SidecarTask(ID, "mark-ready", status, 3, "no luck", Map.of()));
    assertThat(server.requests)
        .containsExactly(new Request("GET", "/sei/rpc-0/v0/tasks/" + ID, null, ""));
    assertThat(counted("ok")).isOne();
  }

  @Test
  void aSparseTaskIsRunning() {
    serve(200, "{\"error\":null}");

    assertThat(client.lookup(NODE, ID)).contains(new SidecarTask(ID, "", RUNNING, 0, "", Map.of()));
  }

  @Test
  void listsWhereTheTasksOfATypeStand() {
    serve(
        200,
        """
        [{"type":"mark-ready","status":"failed"},{"type":"config-apply","status":"running"},
        {"type":"mark-ready","status":"completed"}]
        """);

    assertThat(client.statuses(NODE, "mark-ready"))
        .containsExactlyInAnyOrder(SidecarTask.Status.FAILED, SidecarTask.Status.COMPLETED);
    assertThat(client.statuses(NODE, "snapshot-upload")).isEmpty();
  }

  @Test
  void anUnknownTaskIsEmpty() {
    serve(404, "");

    assertThat(client.lookup(NODE, ID)).isEmpty();
    assertThat(counted("not_found")).isOne();
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 202})
  void submitsATask(int status) throws IOException {
    serve(status, "{\"id\":\"%s\"}".formatted(ID));
    var params = new ObjectMapper().readTree("{\"targetHeight\":5}");

    client.submit(NODE, ID, "snapshot-restore", params);
    client.submit(NODE, ID, "mark-ready", null);

    assertThat(server.requests)
        .extracting(Request::method, Request::path)
        .containsOnly(tuple("POST", "/sei/rpc-0/v0/tasks"));
    assertThat(server.requests)
        .extracting(Request::body)
        .containsExactly(
            "{\"id\":\"%s\",\"type\":\"snapshot-restore\",\"params\":{\"targetHeight\":5}}"
                .formatted(ID),
            "{\"id\":\"%s\",\"type\":\"mark-ready\"}".formatted(ID));
  }

  @ParameterizedTest
  @CsvSource({"204, true", "404, true", "200, false", "202, false"})
  void cancelsATask(int status, boolean gone) {
    serve(status, "");

    assertThat(client.cancel(NODE, ID)).isEqualTo(gone);
    assertThat(server.requests)
        .startsWith(new Request("DELETE", "/sei/rpc-0/v0/tasks/" + ID, null, ""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "200 | {'nodeId':'0123456789abcdef0123456789abcdef01234567'} | true",
        "200 | {'nodeId':'0123456789abcdef0123456789abcdef01234567@h:1,x'} | false",
        "200 | {'nodeId':''} | false",
        "200 | {} | false",
        "200 | no JSON | false",
        "500 | {'nodeId':'0123456789abcdef0123456789abcdef01234567'} | false",
      })
  void asksForTheIdentityOfANode(int status, String body, boolean known) {
    serve(status, body.replace('\'', '"'));

    assertThat(client.nodeIdAsync(NODE))
        .succeedsWithin(Duration.ofSeconds(5))
        .isEqualTo(
            known ? Optional.of("0123456789abcdef0123456789abcdef01234567") : Optional.empty());
    assertThat(server.requests).extracting(Request::path).containsOnly("/sei/rpc-0/v0/node-id");
  }

  @ParameterizedTest
  @CsvSource({
    "200, READY",
    "503, NOT_READY",
    "401, FORBIDDEN",
    "403, FORBIDDEN",
    "204, UNREACHABLE",
    "302, UNREACHABLE",
    "404, UNREACHABLE",
    "500, UNREACHABLE",
    "502, UNREACHABLE"
  })
  void probesHealth(int status, SidecarHealth health) {
    serve(status, "");

    assertThat(client.health(NODE)).isEqualTo(health);
    assertThat(client.healthAsync(NODE)).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(health);
    assertThat(server.requests).extracting(Request::path).containsOnly("/sei/rpc-0/v0/healthz");
  }

  @ParameterizedTest
  @CsvSource({
    "400, REJECTED, rejected",
    "422, REJECTED, rejected",
    "401, FORBIDDEN, forbidden",
    "403, FORBIDDEN, forbidden",
    "429, UNREACHABLE, unreachable",
    "500, UNREACHABLE, unreachable",
    "503, UNREACHABLE, not_ready",
    "302, UNREACHABLE, unreachable"
  })
  void typesRefusals(int status, Kind kind, String outcome) {
    serve(status, "{\"error\":\"unknown type\"}");

    assertThat(failure(() -> client.submit(NODE, ID, "mark-ready", null)).kind()).isEqualTo(kind);
    assertThat(failure(() -> client.lookup(NODE, ID)).kind()).isEqualTo(kind);
    assertThat(failure(() -> client.cancel(NODE, ID)))
        .hasMessageMatching(
            "http://127.0.0.1:\\d+/sei/rpc-0: %d unknown type%s"
                .formatted(status, status == 401 ? "; no token was sent, .*" : ""))
        .returns(kind, SidecarException::kind);
    assertThat(counted(outcome)).isEqualTo(3);
  }

  @Test
  void aTaskTypeThatNobodyServesIsNotAccepted() {
    serve(404, "");

    assertThat(failure(() -> client.submit(NODE, ID, "x", null)).kind())
        .isEqualTo(Kind.UNREACHABLE);
  }

  @Test
  void doesNotFollowRedirects() {
    server =
        new ScriptedSidecar(
            exchange -> {
              exchange.getResponseHeaders().set("Location", "/elsewhere");
              ScriptedSidecar.answer(exchange, 307, "");
            });
    connect(Duration.ofSeconds(5));

    failure(() -> client.lookup(NODE, ID));
    assertThat(server.requests).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "\"ok\"", "null", "<html>", "{\"id\":"})
  void whatIsNoTaskIsNoSidecar(String body) {
    serve(200, body);

    assertThat(failure(() -> client.lookup(NODE, ID)).kind()).isEqualTo(Kind.UNREACHABLE);
  }

  @Test
  void readsAtMost64KiB() {
    var sent = new AtomicInteger();
    server =
        new ScriptedSidecar(
            exchange -> {
              exchange.sendResponseHeaders(200, 0);
              var chunk = "x".repeat(8192).getBytes();
              for (; sent.get() < 1 << 28; sent.addAndGet(chunk.length)) {
                exchange.getResponseBody().write(chunk);
              }
            });
    connect(Duration.ofSeconds(10));

    var failure = failure(() -> client.lookup(NODE, ID));

    assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
    assertThat(failure.getMessage().length()).isLessThan(700);
    await().until(() -> server.requests.size() == 1 && sent.get() > 0);
    assertThat(sent.get()).as("bytes sent before the client hung up").isLessThan(1 << 26);
  }

  @Test
  void cutsAndCleansErrors() {
    serve(
        400,
        "{\"error\":\"%s\\u001b[31m\\r\\nFAKE \\u202e\\u2066LINE\\u200b \\u2028 %s\"}"
            .formatted("a", "é".repeat(2000)));

    assertThat(failure(() -> client.submit(NODE, ID, "x", null)))
        .message()
        .contains("a [31m FAKE  LINE")
        .doesNotContainPattern("[\\p{Cntrl}\\p{Cf}\\u2028]")
        .satisfies(m -> assertThat(m.length()).isLessThan(570));
  }

  @Test
  void neverCutsASurrogatePair() {
    serve(200, "{\"status\":\"failed\",\"error\":\"x%s\"}".formatted("😀".repeat(400)));

    var task = client.lookup(NODE, ID).orElseThrow();

    assertThat(task.status()).isEqualTo(FAILED);
    assertThat(task.error()).hasSize(511).endsWith("😀");
  }

  @Test
  void aServerThatHangsTimesOut() {
    server = new ScriptedSidecar(ScriptedSidecar.hanging(over));
    connect(Duration.ofMillis(200));

    assertThat(failure(() -> client.lookup(NODE, ID)))
        .hasMessageEndingWith("no answer within 200 ms")
        .returns(Kind.UNREACHABLE, SidecarException::kind);
    assertThat(client.health(NODE)).isEqualTo(SidecarHealth.UNREACHABLE);
    assertThat(counted("unreachable")).isEqualTo(2);
  }

  @Test
  void aBodyThatNeverEndsTimesOutAndIsHungUpOn() {
    var hungUp = new AtomicBoolean();
    server =
        new ScriptedSidecar(
            exchange -> {
              exchange.sendResponseHeaders(200, 0);
              try {
                while (!over.await(20, TimeUnit.MILLISECONDS)) {
                  exchange.getResponseBody().write(' ');
                  exchange.getResponseBody().flush();
                }
              } catch (IOException e) {
                hungUp.set(true);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    connect(Duration.ofMillis(300));

    assertThat(failure(() -> client.lookup(NODE, ID)).kind()).isEqualTo(Kind.UNREACHABLE);
    await().untilTrue(hungUp);
  }

  @Test
  void nobodyListeningIsUnreachable() throws IOException {
    int port;
    try (var socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    client = client("http://127.0.0.1:%d/{name}".formatted(port), Duration.ofSeconds(5));

    assertThat(failure(() -> client.lookup(NODE, ID)))
        .hasMessage("http://127.0.0.1:%d/rpc-0: cannot connect".formatted(port))
        .returns(Kind.UNREACHABLE, SidecarException::kind);
    assertThat(client.health(NODE)).isEqualTo(SidecarHealth.UNREACHABLE);
  }

  @Test
  void aHostThatCannotBeIsUnreachable() {
    client = client("http://{namespace}.{name}:1", Duration.ofSeconds(5));

    assertThat(client.health(new SidecarAddress("a", "0", Optional.empty(), Optional.empty())))
        .isEqualTo(SidecarHealth.UNREACHABLE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "../healthz", "a/b", "a?b", "a b", "\n"})
  void anIdThatIsNoIdIsNeverSent(String id) {
    serve(200, "{}");

    assertThat(failure(() -> client.lookup(NODE, id)).kind()).isEqualTo(Kind.REJECTED);
    assertThat(failure(() -> client.cancel(NODE, id)).kind()).isEqualTo(Kind.REJECTED);
    assertThatThrownBy(() -> client.submit(NODE, id, "x", null))
        .isInstanceOf(SidecarException.class);
    assertThat(server.requests).isEmpty();
  }

  @Test
  void everyOutcomeIsThereFromTheStart() {
    serve(200, "");

    assertThat(meters.get("sei.sidecar.requests").counters())
        .extracting(c -> c.getId().getTag("outcome"))
        .containsExactlyInAnyOrder(
            "ok", "not_found", "not_ready", "unreachable", "forbidden", "rejected");
  }

  @Test
  void anInterruptedCallerIsTold() {
    server = new ScriptedSidecar(ScriptedSidecar.hanging(over));
    connect(Duration.ofSeconds(20));

    Thread.currentThread().interrupt();
    assertThat(failure(() -> client.lookup(NODE, ID)).kind()).isEqualTo(Kind.UNREACHABLE);
    assertThat(Thread.interrupted()).isTrue();
  }

  private void serve(int status, String body) {
    server = ScriptedSidecar.answering(status, body);
    connect(Duration.ofSeconds(5));
  }

  private void connect(Duration timeout) {
    client = client(server.urlTemplate(), timeout);
  }

  private HttpSidecarClient client(String urlTemplate, Duration timeout) {
    return new HttpSidecarClient(
        new SidecarConfig("image", new UrlTemplate(urlTemplate), timeout, Optional.empty()),
        new OpenAccess(Optional.empty()),
        meters);
  }

  private double counted(String outcome) {
    return meters.get("sei.sidecar.requests").tag("outcome", outcome).counter().count();
  }

  private static SidecarException failure(ThrowingCallable call) {
    var failure = catchThrowableOfType(SidecarException.class, call);
    assertThat(failure).isNotNull();
    return failure;
  }
}
