package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract of a sidecar's HTTP API, and of its tasks. */
@ParameterizedClass(name = "{0}")
@MethodSource("sidecars")
@Execution(ExecutionMode.SAME_THREAD)
class SidecarContractTest extends SidecarContractCase {
  @ParameterizedTest
  @CsvSource({
    "GET,    /v0/healthz,         503,",
    "GET,    /v0/startupz,        503,",
    "GET,    /v0/livez,           200,",
    "HEAD,   /v0/livez,           200,",
    "GET,    /v0/metrics,         200,",
    "GET,    /v0/status,          200, {\"status\":\"Initializing\"}",
    "GET,    /v0/tasks,           200, []",
    "GET,    /v0/tasks/x,         404, {\"error\":\"task not found\"}",
    "DELETE, /v0/tasks/x,         404, {\"error\":\"task not found\"}",
    "GET,    /v0/tasks/,          404, 404 page not found",
    "GET,    /v0/none,            404, 404 page not found",
    "PUT,    /v0/tasks,           405, Method Not Allowed",
    "POST,   /v0/status,          405, Method Not Allowed",
  })
  void routesOfAFreshSidecar(String method, String path, int status, String body) {
    HttpResponse<String> answer = send(method, path, null);

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Allow").isPresent()).isEqualTo(status == 405);
    if (body != null) {
      assertThat(answer.body()).isEqualTo(body + "\n");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                            | invalid request body",
        "no json                       | invalid request body",
        "[]                            | invalid request body",
        "\"x\"                         | invalid request body",
        "{\"params\":1}                | invalid request body",
        "{\"params\":[]}               | invalid request body",
        "{\"id\":5}                    | invalid request body",
        "null                          | type is required",
        "{}                            | type is required",
        "{\"id\":\"x\"}                | type is required",
        "{\"id\":\"x\",\"type\":\"y\"} | unknown task type: y",
        "{\"ID\":\"x\",\"Type\":\"mark-ready\"} z | task ID must be a valid UUID: \"x\"",
      })
  void submissionIsCheckedInThisOrder(String body, String error) {
    HttpResponse<String> answer = send("POST", "/v0/tasks", body);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).path("error").asText()).isEqualTo(error);
    assertThat(json(send("GET", "/v0/tasks", null))).isEmpty();
  }

  @Test
  void everySpellingOfAnIdIsATaskOfItsOwnAndNoneGetsOne() {
    String id = newId();
    List<String> spellings =
        List.of(id, id.toUpperCase(Locale.ROOT), id.replace("-", ""), "{" + id + "}");

    spellings.forEach(spelling -> submit(spelling, "mark-ready", "null"));
    String given = json(send("POST", "/v0/tasks", "{\"type\":\"mark-ready\"}")).path("id").asText();

    assertThat(UUID.fromString(given).toString()).isEqualTo(given);
    assertThat(json(send("GET", "/v0/tasks", null))).hasSize(5);
  }

  @ParameterizedTest
  @CsvSource({
    "discover-peers,             V0_0_50, V0_0_50",
    "config-reload,              V0_0_50, V0_0_70",
    "result-export,              V0_0_50, V0_0_70",
    "config-patch,               V0_0_50, IN_TREE",
    "restart-seid,               V0_0_62, IN_TREE",
    "evm-logical-digest,         V0_0_62, V0_0_70",
    "mark-not-ready,             V0_0_70, IN_TREE",
    "snapshot-upload-once,       V0_0_70, IN_TREE",
    "await-seid-start,           IN_TREE, IN_TREE",
    "reset-data-keep-sign-state, IN_TREE, IN_TREE",
    "unjail,                     IN_TREE, IN_TREE",
  })
  void typesDependOnTheVersion(String type, SidecarVersion first, SidecarVersion last) {
    String body = "{\"id\":\"x\",\"type\":\"" + type + "\"}";

    String error = json(send("POST", "/v0/tasks", body)).path("error").asText();

    boolean known =
        sidecar.version().compareTo(first) >= 0 && sidecar.version().compareTo(last) <= 0;
    assertThat(error)
        .isEqualTo(known ? "task ID must be a valid UUID: \"x\"" : "unknown task type: " + type);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "SEI_CHAIN_ID       ; ''; required environment variable SEI_CHAIN_ID is not set",
        "SEI_GENESIS_BUCKET ; ''; required environment variable SEI_GENESIS_BUCKET is not set",
        "SEI_GENESIS_REGION ; ''; required environment variable SEI_GENESIS_REGION is not set",
        "SEI_SNAPSHOT_BUCKET; ''; required environment variable SEI_SNAPSHOT_BUCKET is not set",
        "SEI_SNAPSHOT_REGION; ''; required environment variable SEI_SNAPSHOT_REGION is not set",
        "SEI_SNAPSHOT_UPLOAD_INTERVAL; 7d; invalid SEI_SNAPSHOT_UPLOAD_INTERVAL \"7d\":"
            + " time: unknown unit \"d\" in duration \"7d\"",
        "SEI_KEYRING_BACKEND; bogus; unsupported SEI_KEYRING_BACKEND \"bogus\""
            + " (allowed: test|file|os)",
        "SEI_KEYRING_BACKEND; file; SEI_KEYRING_PASSPHRASE required when SEI_KEYRING_BACKEND=file",
        "SEI_SIDECAR_AUTHN_MODE; trusted_header; SEI_SIDECAR_AUTHN_MODE=\"trusted_header\" is not"
            + " recognized (allowed: \"\", \"unauthenticated\", \"trusted-header\")",
      })
  void environmentIsCheckedBeforeAnythingElse(String variable, String value, String words) {
    var variables = new HashMap<>(Map.of("SEI_SIDECAR_AUTHN_MODE", "trusted-header"));
    variables.put(variable, value);

    assertThat(sidecar.refusal(variables)).isEqualTo(words);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "SEI_HOME            ; ''; SEI_HOME is set but empty",
        "SEI_HOME            ; sei; SEI_HOME must be an absolute path",
        "SEI_KEYRING_BACKEND ; test; refusing to start: SEI_KEYRING_BACKEND=\"test\"",
      })
  void sidecarOfTheTreeDemandsAHomeAndGuardsItsKeys(String variable, String value, String words) {
    if (sidecar.version() != SidecarVersion.IN_TREE) {
      return;
    }

    assertThat(sidecar.refusal(Map.of(variable, value))).startsWith(words);
  }

  @Test
  void readinessIsOfTheProcess() {
    String id = newId();
    submit(id, "mark-ready", "{}");
    awaitStatus(id, "completed");
    await().untilAsserted(() -> assertReady(true));
    assertThat(task(id).has("params")).isFalse();

    sidecar.restart();

    assertReady(false);
    submit(id, "mark-ready", "{}");
    assertThat(task(id).path("run").asInt()).isEqualTo(1);
    submit(newId(), "mark-ready", "{}");
    await().untilAsserted(() -> assertReady(true));
  }

  @Test
  void metricsAreThereOnceUsed() {
    assertThat(send("GET", "/v0/metrics", null).body()).doesNotContain("seictl_task_");

    run("mark-ready", "null");

    assertThat(send("GET", "/v0/metrics", null).body())
        .containsPattern("seictl_task_submissions_total\\{.*type=\"mark-ready\".*} 1");
  }

  @Test
  void knownIdChangesNothingWhateverComesWithIt() {
    String id = run("config-apply", FULL).path("id").asText();

    submit(id, "config-validate", "{'x':1}");

    JsonNode task = task(id);
    assertThat(task.path("type").asText()).isEqualTo("config-apply");
    assertThat(task.path("run").asInt()).isEqualTo(1);
    assertThat(task.path("params")).isEqualTo(json(FULL));
    assertThat(task.has("error")).isFalse();
    assertThat(task.path("completedAt").asText()).isNotEmpty();
  }

  @Test
  void failedIdRunsAgainAsWhatTheNewSubmissionSays() {
    JsonNode failed = run("config-validate", "null");
    assertThat(failed.path("status").asText()).isEqualTo("failed");
    String id = failed.path("id").asText();
    String later = run("mark-ready", "null").path("id").asText();
    assertThat(listed()).containsExactly(later, id);

    submit(id, "config-apply", FULL);

    awaitStatus(id, "completed");
    JsonNode task = task(id);
    assertThat(task.path("type").asText()).isEqualTo("config-apply");
    assertThat(task.path("run").asInt()).isEqualTo(2);
    assertThat(task.path("params")).isEqualTo(json(FULL));
    assertThat(task.path("submittedAt")).isNotEqualTo(failed.path("submittedAt"));
    assertThat(listed()).containsExactly(id, later);
  }

  @Test
  void deletedTaskIsForgottenAndStartsAtRunOne() {
    String id = run("config-validate", "null").path("id").asText();

    assertThat(send("DELETE", "/v0/tasks/" + id, null).statusCode()).isEqualTo(204);

    assertThat(send("GET", "/v0/tasks/" + id, null).statusCode()).isEqualTo(404);
    assertThat(send("DELETE", "/v0/tasks/" + id, null).statusCode()).isEqualTo(404);
    submit(id, "config-validate", "null");
    assertThat(task(id).path("run").asInt()).isEqualTo(1);
  }

  @Test
  void rowOfADeletedTaskComesBackWithItsEndBefore66() {
    run("config-apply", fullWithPeer(sidecar.hangingPeer()));
    String id = newId();
    submit(id, "configure-state-sync", "null");
    assertThat(task(id).path("status").asText()).isEqualTo("running");

    assertThat(send("DELETE", "/v0/tasks/" + id, null).statusCode()).isEqualTo(204);
    assertThat(send("GET", "/v0/tasks/" + id, null).statusCode()).isEqualTo(404);
    sidecar.releasePeer();

    if (sidecar.version().deleteCancels()) {
      run("mark-ready", "null");
      assertThat(send("GET", "/v0/tasks/" + id, null).statusCode()).isEqualTo(404);
    } else {
      awaitStatus(id, "failed");
    }
  }

  @Test
  void nodeIdIsUnknownBeforeThereIsAKey() {
    HttpResponse<String> answer = send("GET", "/v0/node-id", null);
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(json(answer).path("error").asText())
        .isEqualTo("node_key.json not found — generate-identity may not have run yet");
  }

  private void assertReady(boolean ready) {
    for (String path : List.of("/v0/healthz", "/v0/startupz")) {
      HttpResponse<String> answer = send("GET", path, null);
      assertThat(answer.statusCode()).isEqualTo(ready ? 200 : 503);
      assertThat(answer.body()).isEmpty();
    }
    assertThat(json(send("GET", "/v0/status", null)).path("status").asText())
        .isEqualTo(ready ? "Ready" : "Initializing");
  }
}
