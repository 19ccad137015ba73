package io.sei.operator.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The HTTP side of {@link SidecarSimulator}: routes, authorisation, answers. */
final class SidecarHttpApi implements HttpHandler {

  private record Answer(int status, String contentType, byte[] body) {
    static Answer empty(int status) {
      return new Answer(status, null, new byte[0]);
    }

    static Answer json(int status, Object value) {
      try {
        return new Answer(status, "application/json", JSON.writeValueAsBytes(value));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException(e);
      }
    }

    static Answer error(int status, String message) {
      return json(status, Map.of("error", message));
    }
  }

  private record Call(String namespace, String node, String method, String path, String body) {

    @Override
    public String toString() {
      return method + " " + path + " of the sidecar of " + node;
    }
  }

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern PATH = Pattern.compile("(?:/([^/]+)/([^/]+))?(/v0/.+)");
  private static final Pattern UUID =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
  private static final String TASKS = "/v0/tasks";

  /** What may be asked without a name: probes and metrics. */
  static final Set<String> OPEN_PATHS =
      Set.of("/v0/healthz", "/v0/startupz", "/v0/livez", "/v0/metrics");

  private static final Set<String> TASK_TYPES =
      Set.of(
          "snapshot-restore",
          "configure-genesis",
          "config-apply",
          "config-patch",
          "config-validate",
          "discover-peers",
          "configure-state-sync",
          "mark-ready",
          "snapshot-upload",
          "await-condition",
          "generate-identity",
          "generate-gentx",
          "upload-genesis-artifacts",
          "assemble-and-upload-genesis",
          "set-genesis-peers",
          "gov-vote",
          "gov-software-upgrade");

  private final SidecarSimulator simulator;
  private final ScheduledExecutorService timer;

  SidecarHttpApi(SidecarSimulator simulator, ScheduledExecutorService timer) {
    this.simulator = simulator;
    this.timer = timer;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    Matcher path = PATH.matcher(exchange.getRequestURI().getPath());
    if (!path.matches()) {
      send(exchange, Answer.empty(404));
      return;
    }
    // A sidecar that is alone has no name in its path.
    String namespace = Objects.requireNonNullElse(path.group(1), "");
    String node = Objects.requireNonNullElse(path.group(2), "");
    if (!simulator.isReachable(namespace, node)) {
      // Closing before an answer drops the connection, which is what no listener looks like.
      exchange.close();
      return;
    }
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Call call = new Call(namespace, node, exchange.getRequestMethod(), path.group(3), body);
    Duration delay =
        simulator.faultsFor(namespace, node).stream()
            .map(SidecarFaults::delay)
            .reduce(Duration.ZERO, Duration::plus);
    if (delay.isZero()) {
      answer(exchange, call);
    } else {
      timer.schedule(() -> answer(exchange, call), delay.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void answer(HttpExchange exchange, Call call) {
    KillSwitch operator = simulator.killSwitch(call.namespace());
    if (!simulator.isReachable(call.namespace(), call.node())
        || !operator.admits(call.toString(), true)) {
      exchange.close();
      return;
    }
    String authorization =
        Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization")).orElse("");
    SidecarEngine engine = simulator.engine(call.namespace(), call.node());
    Answer answer;
    // Who sees what a request did sees the request as well.
    synchronized (engine) {
      answer = denial(call, authorization).orElseGet(() -> route(call, engine));
      engine.record(
          new SidecarRequest(
              call.method(), call.path(), call.body(), authorization, answer.status()));
    }
    try {
      if (operator.hears(call.toString())) {
        send(exchange, answer);
      } else {
        exchange.close();
      }
    } catch (IOException clientWentAway) {
      exchange.close();
    }
  }

  private Optional<Answer> denial(Call call, String authorization) {
    if (OPEN_PATHS.contains(call.path())) {
      return Optional.empty();
    }
    return simulator.faultsFor(call.namespace(), call.node()).stream()
        .flatMap(f -> f.denial(authorization).stream())
        .findFirst()
        .map(status -> Answer.error(status, status == 401 ? "Unauthorized" : "Forbidden"));
  }

  private Answer route(Call call, SidecarEngine engine) {
    boolean get = "GET".equals(call.method());
    if (call.path().equals(TASKS)) {
      return switch (call.method()) {
        case "POST" -> submit(call, engine);
        case "GET" -> Answer.json(200, engine.list());
        default -> Answer.empty(405);
      };
    }
    if (call.path().startsWith(TASKS + "/")) {
      return task(call.method(), call.path().substring(TASKS.length() + 1), engine);
    }
    if (!get) {
      return Answer.empty(405);
    }
    return switch (call.path()) {
      case "/v0/healthz", "/v0/startupz" -> Answer.empty(engine.isReady() ? 200 : 503);
      case "/v0/livez" -> Answer.empty(200);
      case "/v0/status" ->
          Answer.json(200, Map.of("status", engine.isReady() ? "Ready" : "Initializing"));
      case "/v0/node-id" ->
          Answer.json(
              200, Map.of("nodeId", SidecarSimulator.nodeId(call.namespace(), call.node())));
      case "/v0/metrics" -> metrics(engine);
      default -> Answer.empty(404);
    };
  }

  private Answer task(String method, String id, SidecarEngine engine) {
    return switch (method) {
      case "GET" -> engine.find(id).map(t -> Answer.json(200, t)).orElseGet(() -> unknownTask(id));
      case "DELETE" -> engine.delete(id) ? Answer.empty(204) : unknownTask(id);
      default -> Answer.empty(405);
    };
  }

  private Answer submit(Call call, SidecarEngine engine) {
    JsonNode body;
    try {
      body = JSON.readTree(call.body());
    } catch (JsonProcessingException e) {
      return Answer.error(400, "invalid request body");
    }
    if (!body.isObject()) {
      return Answer.error(400, "invalid request body");
    }
    String id = body.path("id").asText();
    String type = body.path("type").asText();
    JsonNode params = body.get("params");
    if (!UUID.matcher(id).matches()) {
      return Answer.error(400, "id is not a UUID: \"" + id + "\"");
    }
    if (!TASK_TYPES.contains(type)) {
      return Answer.error(400, "unknown task type: \"" + type + "\"");
    }
    if (params != null && !params.isNull() && !params.isObject()) {
      return Answer.error(400, "params is not an object");
    }
    Optional<String> rejection =
        simulator.faultsFor(call.namespace(), call.node()).stream()
            .flatMap(f -> f.rejection(type).stream())
            .findFirst();
    if (rejection.isPresent()) {
      return Answer.error(400, rejection.get());
    }
    int status = engine.submit(id, type, params) ? 201 : 202;
    return Answer.json(status, Map.of("id", id));
  }

  private static Answer unknownTask(String id) {
    return Answer.error(404, "no task " + id);
  }

  private static Answer metrics(SidecarEngine engine) {
    String text =
        "# TYPE seictl_ready gauge\nseictl_ready "
            + (engine.isReady() ? 1 : 0)
            + "\n# TYPE seictl_tasks gauge\nseictl_tasks "
            + engine.list().size()
            + "\n";
    return new Answer(200, "text/plain; version=0.0.4", text.getBytes(StandardCharsets.UTF_8));
  }

  private static void send(HttpExchange exchange, Answer answer) throws IOException {
    if (answer.contentType() != null) {
      exchange.getResponseHeaders().set("Content-Type", answer.contentType());
    }
    int length = answer.body().length;
    exchange.sendResponseHeaders(answer.status(), length == 0 ? -1 : length);
    if (length > 0) {
      exchange.getResponseBody().write(answer.body());
    }
    exchange.close();
  }
}
