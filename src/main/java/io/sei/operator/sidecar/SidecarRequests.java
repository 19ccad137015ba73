package io.sei.operator.sidecar;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.sei.operator.base.UntrustedHttp;
import io.sei.operator.config.SidecarConfig;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Sends what may be sent, with the token that its receiver takes, and counts what comes back. */
final class SidecarRequests implements AutoCloseable {
  static final String NO_ADDRESS = "the pod has no address yet";

  private static final String NO_ACCOUNT =
      "; no token was sent, since SEI_SIDECAR_SERVICE_ACCOUNT is not set";

  static final String TASKS = "/v0/tasks";
  static final String HEALTHZ = "/v0/healthz";
  static final String NODE_ID = "/v0/node-id";

  /** Bytes of answers to probes, which may be in flight for all nodes: status and id are short. */
  private static final int MAX_SHORT_BYTES = 1024;

  /** Bytes of a task or a refusal, which have a few KiB. */
  private static final int MAX_BODY_BYTES = 64 * 1024;

  /** Bytes of a list of a hundred tasks: with its copies it takes 3 % of the heap at most. */
  static final int MAX_LIST_BYTES =
      (int) Math.clamp(Runtime.getRuntime().maxMemory() / 128, MAX_BODY_BYTES, 1 << 20);

  private static final int THREADS = 8;

  private final SidecarConfig config;
  private final SidecarAccess access;
  private final UntrustedHttp http;
  private final MeterRegistry meters;

  SidecarRequests(SidecarConfig config, SidecarAccess access, MeterRegistry meters) {
    this.config = config;
    this.access = access;
    this.http = new UntrustedHttp("sidecar-http", THREADS, config.timeout());
    this.meters = meters;
    List.of("ok", "not_found", "not_ready", "unreachable", "forbidden", "rejected")
        .forEach(this::counter);
  }

  /** Asks without a token, as every proxy allows it for some paths. Never waits. */
  CompletableFuture<SidecarResponse> probe(SidecarAddress sidecar, String path) {
    try {
      access.check(sidecar);
      return exchange(request(sidecar, "GET", path, BodyPublishers.noBody()), Optional.empty())
          .thenApply(answer -> answer(answer, ""));
    } catch (IllegalArgumentException | SidecarException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Asks with the token that the sidecar's proxy accepts, if the operator has an account. */
  CompletableFuture<SidecarResponse> send(
      SidecarAddress sidecar, String method, String path, BodyPublisher body) {
    try {
      return send(request(sidecar, method, path, body), access.token(sidecar));
    } catch (IllegalArgumentException | SidecarException e) {
      // Names that the configured template does not make a host of, or a pod without an address.
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Sends a request; never waits. */
  CompletableFuture<SidecarResponse> sendAsync(SidecarAddress sidecar, String method, String path) {
    return CompletableFuture.supplyAsync(
            () -> send(sidecar, method, path, BodyPublishers.noBody()), http.executor())
        .thenCompose(answer -> answer);
  }

  /** The base URL of a sidecar; empty while its pod has no address that the URL needs. */
  Optional<URI> url(SidecarAddress sidecar) {
    return config.url().urlOf(sidecar.namespace(), sidecar.nodeName(), sidecar.podIp());
  }

  /** Ends the threads; requests in flight fail. */
  @Override
  public void close() {
    http.close();
  }

  private CompletableFuture<SidecarResponse> send(
      HttpRequest.Builder request, Optional<String> token) {
    return exchange(request, token)
        .thenApply(
            answer -> {
              if (answer.statusCode() != 401) {
                return answer(answer, "");
              }
              token.ifPresent(access::rejected);
              return answer(answer, token.isPresent() ? "" : NO_ACCOUNT);
            });
  }

  private HttpRequest.Builder request(
      SidecarAddress sidecar, String method, String path, BodyPublisher body) {
    var base = url(sidecar).orElseThrow(() -> new IllegalArgumentException(NO_ADDRESS));
    return HttpRequest.newBuilder(URI.create(base + path))
        .method(method, body)
        .header("Accept", "application/json")
        .header("Content-Type", "application/json");
  }

  private CompletableFuture<HttpResponse<byte[]>> exchange(
      HttpRequest.Builder request, Optional<String> token) {
    token.ifPresent(value -> request.setHeader("Authorization", "Bearer " + value));
    var built = request.build();
    return http.send(built, head -> limit(built, head.statusCode()))
        .whenComplete((answer, error) -> counter(outcome(answer, error)).increment());
  }

  /** Bytes that are read of an answer. */
  private static int limit(HttpRequest request, int status) {
    String path = request.uri().getPath();
    if (path.endsWith(HEALTHZ) || path.endsWith(NODE_ID)) {
      return MAX_SHORT_BYTES;
    }
    boolean isList = request.method().equals("GET") && path.endsWith(TASKS) && status / 100 == 2;
    return isList ? MAX_LIST_BYTES : MAX_BODY_BYTES;
  }

  private static SidecarResponse answer(HttpResponse<byte[]> answer, String remark) {
    return new SidecarResponse(answer.statusCode(), answer.headers(), answer.body(), remark);
  }

  private Counter counter(String outcome) {
    return Counter.builder("sei.sidecar.requests")
        .description("Requests to sidecars")
        .tag("outcome", outcome)
        .register(meters);
  }

  private static String outcome(HttpResponse<byte[]> answer, Throwable error) {
    if (error != null) {
      return "unreachable";
    }
    return switch (answer.statusCode()) {
      case 400, 422 -> "rejected";
      case 401, 403 -> "forbidden";
      case 404 -> "not_found";
      case 503 -> "not_ready";
      default -> answer.statusCode() / 100 == 2 ? "ok" : "unreachable";
    };
  }
}
