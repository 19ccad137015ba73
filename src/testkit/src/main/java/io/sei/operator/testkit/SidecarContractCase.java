package io.sei.operator.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * Requests to a {@link TestedSidecar}, and what came of them. It is the simulator in each of its
 * versions or, if the environment variable SEICTL names a binary, a real sidecar.
 */
abstract class SidecarContractCase {
  static final String FULL = "{'mode':'full'}";
  private static final String PEER = "0123456789abcdef0123456789abcdef01234567@";
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Named for the report. */
  record Kind(String name, Function<Path, TestedSidecar> start) {
    @Override
    public String toString() {
      return name;
    }
  }

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  @Parameter Kind kind;
  @TempDir Path directory;
  TestedSidecar sidecar;

  /** Returns the real sidecar, or the newest two versions of the simulated one, or all. */
  static Stream<Kind> sidecars() {
    String binary = System.getenv("SEICTL");
    if (binary != null && !binary.isEmpty()) {
      return Stream.of(
          new Kind("real", home -> new SidecarProcess(Path.of(binary), home.resolve("home"))));
    }
    return Cases.of(2, Arrays.asList(SidecarVersion.values()).reversed())
        .map(version -> new Kind(version.name(), home -> new SimulatedSidecar(version)));
  }

  @BeforeEach
  void start() {
    sidecar = kind.start().apply(directory);
  }

  @AfterEach
  void stop() {
    sidecar.close();
  }

  /** Parameters of a full configuration with the peer on that host. */
  static String fullWithPeer(String host) {
    return "{'mode':'full','overrides':{'network.p2p.persistent_peers':'%s%s:26656'}}"
        .formatted(PEER, host);
  }

  static void assertCompleted(JsonNode task) {
    assertThat(task.path("status").asText()).as("%s", task).isEqualTo("completed");
  }

  /** Submits a task and returns it once it has ended. */
  JsonNode run(String type, String params, Object... arguments) {
    String id = newId();
    submit(id, type, params.formatted(arguments));
    return await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(10))
        .until(() -> task(id), task -> !task.path("status").asText().equals("running"));
  }

  void submit(String id, String type, String params) {
    HttpResponse<String> answer =
        send(
            "POST",
            "/v0/tasks",
            "{\"id\":\"%s\",\"type\":\"%s\",\"params\":%s}"
                .formatted(id, type, params.replace('\'', '"')));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    assertThat(answer.body()).isEqualTo("{\"id\":\"" + id + "\"}\n");
  }

  JsonNode task(String id) {
    return json(send("GET", "/v0/tasks/" + id, null));
  }

  List<String> listed() {
    return json(send("GET", "/v0/tasks", null)).findValuesAsText("id");
  }

  void awaitStatus(String id, String status) {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(10))
        .until(() -> task(id).path("status").asText(), status::equals);
  }

  static String newId() {
    return UUID.randomUUID().toString();
  }

  HttpResponse<String> send(String method, String path, String body) {
    var publisher = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
    var request =
        HttpRequest.newBuilder(URI.create(sidecar.url() + path)).method(method, publisher).build();
    try {
      return http.send(request, BodyHandlers.ofString(UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  static JsonNode json(HttpResponse<String> answer) {
    return json(answer.body());
  }

  static JsonNode json(String text) {
    try {
      return JSON.readTree(text.replace('\'', text.startsWith("{'") ? '"' : '\''));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
