package io.sei.operator.sidecar;

import static io.sei.operator.sidecar.SidecarException.Kind.BUSY;
import static io.sei.operator.sidecar.SidecarException.Kind.FORBIDDEN;
import static io.sei.operator.sidecar.SidecarException.Kind.REJECTED;
import static io.sei.operator.sidecar.SidecarException.Kind.UNREACHABLE;
import static io.sei.operator.sidecar.SidecarException.Kind.UNSUPPORTED;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.core.instrument.MeterRegistry;
import io.sei.operator.base.Json;
import io.sei.operator.base.UntrustedText;
import io.sei.operator.config.SidecarConfig;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpTimeoutException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * {@link SidecarClient} over HTTP/1.1. A node's owner decides what runs as its sidecar, so nothing
 * it answers is trusted: little of it is read, redirects are not followed, and time is limited.
 * Requests are counted as {@code sei.sidecar.requests} by outcome.
 */
public final class HttpSidecarClient implements SidecarClient, AutoCloseable {
  private static final String TASKS = SidecarRequests.TASKS;

  /** Beginning of a 400 that reports a locked store, and that is no 400 later. */
  private static final String BUSY_STORE = "persist task: ";

  private static final String UNKNOWN_TYPE = "unknown task type: ";

  /** Task ids end up in a URL, and a status that holds them can be edited by hand. */
  private static final Pattern TASK_ID = Pattern.compile("[A-Za-z0-9-]{1,64}");

  /** Node ids end up in the configuration of other nodes: 20 bytes in hexadecimal, no more. */
  private static final Pattern NODE_ID = Pattern.compile("[0-9a-fA-F]{40}");

  private final SidecarConfig config;
  private final SidecarRequests requests;
  private final ObjectMapper json = Json.mapper();

  /**
   * @param config where sidecars are
   * @param access asked before each request
   * @param meters where requests are counted; every outcome is there from the start, with 0
   */
  public HttpSidecarClient(SidecarConfig config, SidecarAccess access, MeterRegistry meters) {
    this.config = config;
    this.requests = new SidecarRequests(config, access, meters);
  }

  @Override
  public Optional<SidecarTask> lookup(SidecarAddress sidecar, String taskId) {
    var answer = ask(sidecar, "GET", taskPath(taskId));
    return switch (answer.statusCode()) {
      case 200 -> Optional.of(task(sidecar, taskId, answer));
      case 404 -> Optional.empty();
      default -> throw refusal(sidecar, answer);
    };
  }

  @Override
  public void submit(SidecarAddress sidecar, String taskId, String type, JsonNode params) {
    taskPath(taskId);
    var body = json.createObjectNode().put("id", taskId).put("type", type);
    if (params != null && !params.isNull()) {
      body.set("params", params);
    }
    var sent = requests.send(sidecar, "POST", TASKS, BodyPublishers.ofString(body.toString()));
    var answer = await(sidecar, sent);
    if (!answer.isSuccess()) {
      throw refusal(sidecar, answer);
    }
  }

  @Override
  public Set<SidecarTask.Status> statuses(SidecarAddress sidecar, String type) {
    var answer = ask(sidecar, "GET", TASKS);
    if (!answer.isSuccess()) {
      throw refusal(sidecar, answer);
    }
    return SidecarAnswers.statuses(answer.body(), type)
        .orElseThrow(
            () ->
                new SidecarException(
                    UNREACHABLE,
                    "%s: the answer is no list of tasks, or longer than %d bytes"
                        .formatted(shown(sidecar), SidecarRequests.MAX_LIST_BYTES)));
  }

  @Override
  public boolean cancel(SidecarAddress sidecar, String taskId) {
    var answer = ask(sidecar, "DELETE", taskPath(taskId));
    if (answer.statusCode() == 204) {
      return true;
    }
    if (answer.statusCode() == 404) {
      // Before v0.0.66 a task that exists is not found for as long as the store is locked.
      return lookup(sidecar, taskId).isEmpty();
    }
    if (answer.isSuccess()) {
      return false;
    }
    throw refusal(sidecar, answer);
  }

  @Override
  public boolean knows(SidecarAddress sidecar, String type) {
    try {
      // The type is looked at before the id, and this id is refused: nothing is run.
      submit(sidecar, "none", type, null);
      return true;
    } catch (SidecarException e) {
      if (e.kind() == REJECTED) {
        return true;
      }
      if (e.kind() == UNSUPPORTED) {
        return false;
      }
      throw e;
    }
  }

  @Override
  public SidecarHealth health(SidecarAddress sidecar) {
    try {
      return healthAsync(sidecar).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return SidecarHealth.UNREACHABLE;
    } catch (ExecutionException e) {
      throw new IllegalStateException("a health probe must not fail", e);
    }
  }

  @Override
  public CompletableFuture<SidecarHealth> healthAsync(SidecarAddress sidecar) {
    return requests
        .probe(sidecar, SidecarRequests.HEALTHZ)
        .handle(
            (answer, error) -> {
              if (error != null) {
                return isBlind(error) ? SidecarHealth.UNKNOWN : SidecarHealth.UNREACHABLE;
              }
              return switch (answer.statusCode()) {
                case 200 -> SidecarHealth.READY;
                case 503 -> SidecarHealth.NOT_READY;
                case 401, 403 -> SidecarHealth.FORBIDDEN;
                default -> SidecarHealth.UNREACHABLE;
              };
            });
  }

  @Override
  public CompletableFuture<Optional<String>> nodeIdAsync(SidecarAddress sidecar) {
    return requests
        .sendAsync(sidecar, "GET", SidecarRequests.NODE_ID)
        .handle(
            (answer, error) ->
                error == null && answer.statusCode() == 200
                    ? SidecarAnswers.object(answer.body())
                        .map(fields -> fields.text("nodeId"))
                        .filter(id -> NODE_ID.matcher(id).matches())
                    : Optional.empty());
  }

  /** Ends the threads; requests in flight fail. */
  @Override
  public void close() {
    requests.close();
  }

  private static boolean isBlind(Throwable error) {
    return error instanceof SidecarException refused
        && refused.kind() == SidecarException.Kind.BLIND;
  }

  private SidecarResponse ask(SidecarAddress sidecar, String method, String path) {
    return await(sidecar, requests.send(sidecar, method, path, BodyPublishers.noBody()));
  }

  private SidecarResponse await(SidecarAddress sidecar, CompletableFuture<SidecarResponse> sent) {
    try {
      return sent.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SidecarException(UNREACHABLE, "interrupted while asking " + shown(sidecar), e);
    } catch (ExecutionException e) {
      var cause = e.getCause();
      if (cause instanceof SidecarException withheld) {
        throw withheld;
      }
      throw new SidecarException(UNREACHABLE, shown(sidecar) + ": " + reason(cause), cause);
    }
  }

  /**
   * Describes a failure without what varies from one request to the next: it ends up in a status.
   */
  private String reason(Throwable cause) {
    if (cause instanceof TimeoutException || cause instanceof HttpTimeoutException) {
      return "no answer within " + config.timeout().toMillis() + " ms";
    }
    if (cause instanceof IllegalArgumentException
        && SidecarRequests.NO_ADDRESS.equals(cause.getMessage())) {
      return SidecarRequests.NO_ADDRESS;
    }
    return cause instanceof ConnectException
        ? "cannot connect"
        : UntrustedText.clean(cause.getClass().getSimpleName() + ": " + cause.getMessage());
  }

  private SidecarTask task(SidecarAddress sidecar, String taskId, SidecarResponse answer) {
    SidecarAnswers.Fields task =
        SidecarAnswers.object(answer.body())
            .orElseThrow(
                () ->
                    new SidecarException(
                        UNREACHABLE,
                        shown(sidecar) + ": the answer is not a task but " + text(answer)));
    return new SidecarTask(
        taskId,
        UntrustedText.clean(task.text("type")),
        task.status(),
        task.run(),
        UntrustedText.clean(task.text("error")),
        task.result());
  }

  private SidecarException refusal(SidecarAddress sidecar, SidecarResponse answer) {
    var fields = SidecarAnswers.object(answer.body()).orElse(SidecarAnswers.Fields.NONE);
    var error = UntrustedText.clean(fields.text("error"));
    var words = error.isEmpty() ? text(answer) : error;
    var message =
        "%s: %d %s".formatted(shown(sidecar), answer.statusCode(), words).strip() + answer.remark();
    return new SidecarException(kind(answer, words), message);
  }

  /** Describes an answer other than the expected one, as seen on v0.0.50 to v0.0.70. */
  private static SidecarException.Kind kind(SidecarResponse answer, String words) {
    return switch (answer.statusCode()) {
      case 401, 403 -> FORBIDDEN;
      case 400, 422 ->
          words.startsWith(BUSY_STORE)
              ? BUSY
              : words.startsWith(UNKNOWN_TYPE) ? UNSUPPORTED : REJECTED;
      // A proxy whose backend is gone answers so as well, and does not ask to be tried again.
      case 503 -> answer.headers().firstValue("Retry-After").isPresent() ? BUSY : UNREACHABLE;
      default -> UNREACHABLE;
    };
  }

  private static String text(SidecarResponse answer) {
    return UntrustedText.clean(new String(answer.body(), UTF_8));
  }

  private static String taskPath(String taskId) {
    if (!TASK_ID.matcher(taskId).matches()) {
      throw new SidecarException(REJECTED, "not a task id: " + UntrustedText.clean(taskId));
    }
    return TASKS + "/" + taskId;
  }

  private String shown(SidecarAddress sidecar) {
    return requests.url(sidecar).map(URI::toString).orElse("sidecar of " + sidecar);
  }
}
