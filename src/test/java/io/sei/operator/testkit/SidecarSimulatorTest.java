package io.sei.operator.testkit;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SidecarSimulatorTest {
  private static final String NS = "chain";
  private static final String NODE = "node-0";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final SidecarSimulator sidecar = new SidecarSimulator();

  @BeforeEach
  void startPod() {
    sidecar.initHome(NS, NODE);
    sidecar.podStarted(NS, NODE, "pod-1");
  }

  @AfterEach
  void close() {
    sidecar.close();
  }

  @Test
  void submittedTaskCompletesAndIsShown() {
    String id = newId();

    HttpResponse<String> answer = submit(id, "config-apply", "{\"mode\":\"full\"}");

    assertThat(answer.statusCode()).isEqualTo(201);
    assertThat(json(answer).path("id").asText()).isEqualTo(id);
    awaitStatus(id, "completed");
    JsonNode task = json(get("/v0/tasks/" + id));
    assertThat(task.path("type").asText()).isEqualTo("config-apply");
    assertThat(task.path("run").asInt()).isEqualTo(1);
    assertThat(task.at("/params/mode").asText()).isEqualTo("full");
    assertThat(task.path("submittedAt").asText()).isNotEmpty();
    assertThat(task.path("completedAt").asText()).isNotEmpty();
    assertThat(task.has("error")).isFalse();
    assertThat(json(get("/v0/tasks"))).hasSize(1);
  }

  @Test
  void knownIdIsNotExecutedAgain() {
    String id = newId();
    submit(id, "config-validate", null);
    awaitStatus(id, "completed");

    assertThat(submit(id, "config-validate", null).statusCode()).isEqualTo(201);

    assertThat(sidecar.executions(NS, NODE, "config-validate")).isEqualTo(1);
  }

  @Test
  void failedTaskIsExecutedAgainUnderTheSameId() {
    sidecar.faults(NS, NODE).fail("config-patch", 1, "disk full");
    String id = newId();
    submit(id, "config-patch", "{\"files\":{}}");
    awaitStatus(id, "failed");
    assertThat(json(get("/v0/tasks/" + id)).path("error").asText()).isEqualTo("disk full");

    submit(id, "config-patch", "{\"files\":{}}");

    awaitStatus(id, "completed");
    assertThat(json(get("/v0/tasks/" + id)).path("run").asInt()).isEqualTo(2);
    assertThat(sidecar.executions(NS, NODE, "config-patch")).isEqualTo(2);
  }

  @Test
  void taskTypeCanFailForEver() {
    sidecar.faultsOfAll().failAlways("config-patch", "read-only file system");
    for (int run = 0; run < 3; run++) {
      String id = newId();
      submit(id, "config-patch", null);
      awaitStatus(id, "failed");
    }
  }

  @Test
  void heldTaskRunsUntilItIsReleased() {
    sidecar.faults(NS, NODE).hold("snapshot-restore");
    String id = newId();
    submit(id, "snapshot-restore", null);
    assertThat(status(id)).isEqualTo("running");

    sidecar.faults(NS, NODE).release("snapshot-restore");

    // Held from its start, it ends with the release and needs no timer.
    assertThat(status(id)).isEqualTo("completed");
    assertThat(sidecar.executions(NS, NODE, "snapshot-restore")).isEqualTo(1);
  }

  @Test
  void taskTypeCanBeRejected() {
    sidecar.faults(NS, NODE).reject("config-apply", "targetVersion is not supported");

    HttpResponse<String> answer = submit(newId(), "config-apply", null);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).path("error").asText()).isEqualTo("targetVersion is not supported");
  }

  @Test
  void readyFlagLastsAsLongAsTheProcess() {
    AtomicInteger changes = new AtomicInteger();
    sidecar.onReadyChange((namespace, node) -> changes.incrementAndGet());
    assertReady(false);
    String id = newId();
    submit(id, "mark-ready", null);
    awaitReady();

    sidecar.restart(NS, NODE);

    assertReady(false);
    assertThat(submit(id, "mark-ready", null).statusCode()).isEqualTo(201);
    assertReady(false);
    submit(newId(), "mark-ready", null);
    awaitReady();
    await().untilAsserted(() -> assertThat(changes).hasValue(3));
  }

  private void awaitReady() {
    await().pollInterval(ofMillis(10)).untilAsserted(() -> assertReady(true));
  }

  private void assertReady(boolean ready) {
    assertThat(sidecar.isReady(NS, NODE)).isEqualTo(ready);
    assertThat(get("/v0/healthz").statusCode()).isEqualTo(ready ? 200 : 503);
    assertThat(get("/v0/startupz").statusCode()).isEqualTo(ready ? 200 : 503);
    assertThat(json(get("/v0/status")).path("status").asText())
        .isEqualTo(ready ? "Ready" : "Initializing");
  }

  @Test
  void tasksSurviveThePodAndRunningOnesAreExecutedAgain() {
    sidecar.faults(NS, NODE).hold("config-patch");
    String done = newId();
    String interrupted = newId();
    submit(done, "config-validate", null);
    submit(interrupted, "config-patch", null);
    awaitStatus(done, "completed");

    sidecar.podStopped(NS, NODE);
    sidecar.faults(NS, NODE).release("config-patch");
    sidecar.podStarted(NS, NODE, "pod-2");

    awaitStatus(interrupted, "completed");
    assertThat(status(done)).isEqualTo("completed");
    assertThat(sidecar.executions(NS, NODE, "config-patch")).isEqualTo(2);
    assertThat(sidecar.executions(NS, NODE, "config-validate")).isEqualTo(1);
  }

  @Test
  void samePodStartedTwiceIsOneProcess() {
    submit(newId(), "mark-ready", null);
    awaitReady();

    sidecar.podStarted(NS, NODE, "pod-1");

    assertReady(true);
  }

  @Test
  void withoutAPodConnectionsAreDropped() {
    sidecar.podStopped(NS, NODE);

    assertUnreachable();
    assertThat(sidecar.requests(NS, NODE)).isEmpty();
  }

  @Test
  void downDropsConnectionsAndKeepsTheReadyFlag() {
    submit(newId(), "mark-ready", null);
    awaitReady();
    sidecar.faults(NS, NODE).down();
    assertUnreachable();

    sidecar.faults(NS, NODE).up();

    assertReady(true);
  }

  private void assertUnreachable() {
    assertThatThrownBy(() -> get("/v0/livez")).isInstanceOf(UncheckedIOException.class);
  }

  @Test
  void slowSidecarAnswersLate() {
    sidecar.faultsOfAll().slow(ofMillis(300));
    long start = System.nanoTime();

    assertThat(get("/v0/livez").statusCode()).isEqualTo(200);

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(ofMillis(300));
  }

  @ParameterizedTest
  @CsvSource({"/v0/tasks, 401", "/v0/status, 401", "/v0/node-id, 401", "/v0/livez, 200"})
  void tokenIsRequired(String path, int withoutToken) {
    sidecar.faultsOfAll().requireToken("secret");

    assertThat(get(path).statusCode()).isEqualTo(withoutToken);
    assertThat(send("GET", path, null, "Bearer wrong").statusCode()).isEqualTo(withoutToken);
    assertThat(send("GET", path, null, "Bearer secret").statusCode()).isEqualTo(200);
  }

  @Test
  void forbiddenSparesTheProbes() {
    sidecar.faults(NS, NODE).forbidden();

    assertThat(submit(newId(), "mark-ready", null).statusCode()).isEqualTo(403);
    assertThat(get("/v0/healthz").statusCode()).isEqualTo(503);
    assertThat(get("/v0/metrics").statusCode()).isEqualTo(200);
    sidecar.faults(NS, NODE).clear();
    assertThat(submit(newId(), "mark-ready", null).statusCode()).isEqualTo(201);
  }

  @Test
  void processThatEndsMayRecordWhatRunsAsFailed() {
    sidecar.faults(NS, NODE).failInterrupted();
    String id = newId();
    submit(id, "snapshot-upload", null);

    sidecar.restart(NS, NODE);

    assertThat(json(get("/v0/tasks/" + id)).path("error").asText()).isEqualTo("context canceled");
  }

  @Test
  void laterVersionsLeaveRunningWhatRuns() {
    restartAs(SidecarVersion.V0_0_62);
    sidecar.faults(NS, NODE).failInterrupted();
    String id = newId();
    submit(id, "snapshot-upload", null);

    sidecar.restart(NS, NODE);

    assertThat(status(id)).isEqualTo("running");
    assertThat(json(get("/v0/tasks/" + id)).path("run").asInt()).isEqualTo(1);
    assertThat(sidecar.executions(NS, NODE, "snapshot-upload")).isEqualTo(2);
  }

  @Test
  void taskOfATypeThatTheNewVersionLacksFails() {
    sidecar.faults(NS, NODE).hold("discover-peers");
    String id = newId();
    submit(id, "discover-peers", null);

    restartAs(SidecarVersion.V0_0_70);

    assertThat(json(get("/v0/tasks/" + id)).path("error").asText())
        .isEqualTo("no handler registered for task type");
  }

  @ParameterizedTest
  @CsvSource({"V0_0_50, 404", "V0_0_62, 404", "V0_0_70, 503"})
  void busyStoreRefusesToWrite(SidecarVersion version, int deleted) {
    restartAs(version);
    String id = newId();
    submit(id, "snapshot-upload", null);
    sidecar.faults(NS, NODE).busyStore();

    HttpResponse<String> refused = submit(newId(), "mark-ready", null);

    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(json(refused).path("error").asText()).startsWith("persist task: database is locked");
    HttpResponse<String> answer = send("DELETE", "/v0/tasks/" + id, null, null);
    assertThat(answer.statusCode()).isEqualTo(deleted);
    assertThat(answer.headers().firstValue("Retry-After").isPresent()).isEqualTo(deleted == 503);
    assertThat(status(id)).isEqualTo("running");
    sidecar.faults(NS, NODE).clear();
    assertThat(send("DELETE", "/v0/tasks/" + id, null, null).statusCode()).isEqualTo(204);
  }

  @Test
  void resetDataTakesAwayTheMarkerOfStateSync() {
    restartAs(SidecarVersion.V0_0_70);
    String synced = newId();
    submit(synced, "configure-state-sync", "{\"rpcServers\":[\"a:26657\",\"b:26657\"]}");
    awaitStatus(synced, "completed");
    assertThat(sidecar.home(NS, NODE).markers()).contains(SidecarHome.STATE_SYNC_DONE);
    String reset = newId();

    submit(reset, "reset-data", null);

    awaitStatus(reset, "completed");
    assertThat(json(get("/v0/tasks/" + reset)).has("result")).isTrue();
    assertThat(sidecar.home(NS, NODE).markers()).doesNotContain(SidecarHome.STATE_SYNC_DONE);
  }

  private void restartAs(SidecarVersion version) {
    sidecar.version(version);
    sidecar.restart(NS, NODE);
  }

  @Test
  void nodesAreApart() {
    sidecar.podStarted(NS, "other", "pod-9");
    submit(newId(), "mark-ready", null);
    awaitReady();

    assertThat(sidecar.isReady(NS, "other")).isFalse();
    assertThat(sidecar.requests(NS, "other")).isEmpty();
    String nodeId = json(get("/v0/node-id")).path("nodeId").asText();
    assertThat(nodeId).matches("[0-9a-f]{40}");
  }

  @Test
  void requestsAreRecordedInOrder() {
    String id = newId();
    get("/v0/tasks/" + id);
    submit(id, "mark-ready", "{}");
    get("/v0/livez");

    assertThat(sidecar.requests(NS, NODE))
        .extracting(r -> r.method() + " " + r.path() + " " + r.status())
        .containsExactly("GET /v0/tasks/" + id + " 404", "POST /v0/tasks 201", "GET /v0/livez 200");
    assertThat(sidecar.requests(NS, NODE).get(1).body()).contains(id, "mark-ready");
  }

  private static String newId() {
    return UUID.randomUUID().toString();
  }

  private void awaitStatus(String id, String status) {
    await()
        .pollInterval(ofMillis(10))
        .untilAsserted(() -> assertThat(status(id)).isEqualTo(status));
  }

  private String status(String id) {
    return json(get("/v0/tasks/" + id)).path("status").asText();
  }

  private HttpResponse<String> submit(String id, String type, String params) {
    String tail = params == null ? "" : ",\"params\":" + params;
    String body = "{\"id\":\"%s\",\"type\":\"%s\"%s}".formatted(id, type, tail);
    return send("POST", "/v0/tasks", body, null);
  }

  private HttpResponse<String> get(String path) {
    return send("GET", path, null, null);
  }

  private HttpResponse<String> send(String method, String path, String body, String authorization) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(sidecar.url(NS, NODE) + path))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (authorization != null) {
      request.header("Authorization", authorization);
    }
    try {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode json(HttpResponse<String> answer) {
    try {
      return JSON.readTree(answer.body());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
