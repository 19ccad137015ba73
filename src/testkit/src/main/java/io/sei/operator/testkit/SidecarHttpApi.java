package io.sei.operator.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The HTTP side of {@link SidecarSimulator}: routes, authorisation, answers. */
final class SidecarHttpApi implements HttpHandler {

  private static final Pattern PATH = Pattern.compile("(?:/([^/]+)/([^/]+))?(/v0(?:/.*)?)");
  private static final String TASKS = "/v0/tasks";
  private static final String NO_PAGE = "404 page not found";
  private static final String NO_TASK = "task not found";

  /** Paths that need no name: probes and metrics. */
  static final Set<String> OPEN_PATHS =
      Set.of("/v0/healthz", "/v0/startupz", "/v0/livez", "/v0/metrics");

  private static final Set<String> READ_PATHS =
      Set.of(
          "/v0/healthz", "/v0/startupz", "/v0/livez", "/v0/metrics", "/v0/status", "/v0/node-id");

  private final SidecarSimulator simulator;
  private final Submission submission;

  SidecarHttpApi(SidecarSimulator simulator) {
    this.simulator = simulator;
    this.submission = new Submission(simulator);
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    Matcher path = PATH.matcher(exchange.getRequestURI().getPath());
    if (!path.matches()) {
      send(exchange, SidecarAnswer.text(404, NO_PAGE));
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
    boolean isAboutTasks = path.group(3).startsWith(TASKS);
    if (simulator.faultsFor(namespace, node).stream()
        .anyMatch(faults -> faults.keeps(exchange, isAboutTasks))) {
      return;
    }
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    SidecarCall call =
        new SidecarCall(namespace, node, exchange.getRequestMethod(), path.group(3), body);
    simulator.afterItsDelay(call, () -> answer(exchange, call));
  }

  private void answer(HttpExchange exchange, SidecarCall call) {
    KillSwitch operator = simulator.killSwitch(call.namespace());
    if (!simulator.isReachable(call.namespace(), call.node())
        || !operator.admits(call.toString(), true)) {
      exchange.close();
      return;
    }
    String authorization =
        Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization")).orElse("");
    SidecarEngine engine = simulator.engine(call.namespace(), call.node());
    SidecarAnswer answer;
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

  /** Returns the refusal of the proxy in front of a sidecar: the sidecar itself speaks JSON. */
  private Optional<SidecarAnswer> denial(SidecarCall call, String authorization) {
    Optional<SidecarAnswer> faulty =
        simulator.faultsFor(call.namespace(), call.node()).stream()
            .map(SidecarFaults::answer)
            .flatMap(Optional::stream)
            .findFirst();
    if (faulty.isPresent()) {
      return faulty;
    }
    if (OPEN_PATHS.contains(call.path())) {
      return Optional.empty();
    }
    if (simulator.isUnauthorized(call.namespace(), call.node(), authorization)) {
      return Optional.of(SidecarAnswer.text(401, "Unauthorized"));
    }
    return simulator.faultsFor(call.namespace(), call.node()).stream()
        .filter(SidecarFaults::isForbidden)
        .findFirst()
        .map(faults -> SidecarAnswer.text(403, "Forbidden"));
  }

  private SidecarAnswer route(SidecarCall call, SidecarEngine engine) {
    List<String> methods = methods(call.path());
    if (methods.isEmpty()) {
      return SidecarAnswer.text(404, NO_PAGE);
    }
    if (!methods.contains(call.method())) {
      return SidecarAnswer.text(405, "Method Not Allowed")
          .with("Allow", String.join(", ", methods));
    }
    return switch (call.path()) {
      case TASKS ->
          call.isRead() ? SidecarAnswer.json(200, engine.list()) : submission.answer(call, engine);
      case "/v0/healthz", "/v0/startupz" -> SidecarAnswer.empty(engine.isReady() ? 200 : 503);
      case "/v0/livez" -> SidecarAnswer.empty(200);
      case "/v0/status" -> SidecarAnswer.json(200, engine.status());
      case "/v0/node-id" -> nodeId(call, engine);
      case "/v0/metrics" -> metrics(engine);
      default -> task(call, engine);
    };
  }

  /**
   * Returns the methods of a path, empty when there is no such path: HEAD is allowed where GET is.
   */
  private static List<String> methods(String path) {
    if (path.equals(TASKS)) {
      return List.of("GET", "HEAD", "POST");
    }
    if (path.matches(TASKS + "/[^/]+")) {
      return List.of("DELETE", "GET", "HEAD");
    }
    return READ_PATHS.contains(path) ? List.of("GET", "HEAD") : List.of();
  }

  private SidecarAnswer nodeId(SidecarCall call, SidecarEngine engine) {
    return engine.home().nodeKey()
        ? SidecarAnswer.json(
            200, Map.of("nodeId", simulator.tellNodeId(call.namespace(), call.node())))
        : SidecarAnswer.error(
            500, "node_key.json not found — generate-identity may not have run yet");
  }

  private SidecarAnswer task(SidecarCall call, SidecarEngine engine) {
    String id = call.path().substring(TASKS.length() + 1);
    if (call.isRead()) {
      return engine
          .find(id)
          .map(t -> SidecarAnswer.json(200, t))
          .orElseGet(() -> SidecarAnswer.error(404, NO_TASK));
    }
    if (simulator.hasBusyStore(call.namespace(), call.node())) {
      // Before 0.0.66 a store that is locked looks like a task that does not exist.
      engine.cancel(id);
      return engine.version().deleteCancels()
          ? SidecarAnswer.error(503, "failed to delete task; retry").with("Retry-After", "1")
          : SidecarAnswer.error(404, NO_TASK);
    }
    return engine.delete(id) ? SidecarAnswer.empty(204) : SidecarAnswer.error(404, NO_TASK);
  }

  private static SidecarAnswer metrics(SidecarEngine engine) {
    byte[] text = engine.metrics().getBytes(StandardCharsets.UTF_8);
    return new SidecarAnswer(200, "text/plain; version=0.0.4", text, Map.of());
  }

  private static void send(HttpExchange exchange, SidecarAnswer answer) throws IOException {
    if (answer.contentType() != null) {
      exchange.getResponseHeaders().set("Content-Type", answer.contentType());
    }
    answer.headers().forEach(exchange.getResponseHeaders()::set);
    int length = answer.body().length;
    boolean head = "HEAD".equals(exchange.getRequestMethod());
    if (head) {
      exchange.getResponseHeaders().set("Content-Length", String.valueOf(length));
    }
    exchange.sendResponseHeaders(answer.status(), head || length == 0 ? -1 : length);
    if (length > 0 && !head) {
      exchange.getResponseBody().write(answer.body());
    }
    exchange.close();
  }
}
