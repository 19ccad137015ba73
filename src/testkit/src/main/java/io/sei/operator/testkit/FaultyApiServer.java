package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A door of its own to a real API server, in plain HTTP: it passes everything on and answers some
 * requests itself, as the {@link ApiFault}s say that a test injects. What it passes on is answered
 * by the real server, so that applies, conflicts and watches are what they are.
 *
 * <p>It declines WebSockets, as some proxies do, and clients then watch over HTTP.
 */
public final class FaultyApiServer implements AutoCloseable {

  /** A request and how it was answered: the status, or 0 while and if it never was. */
  public record Answered(RequestLog.Request request, int status, boolean byFault) {

    @Override
    public String toString() {
      return request + " -> " + status + (byFault ? " (fault)" : "");
    }
  }

  /**
   * A request to delete something that reached the API server.
   *
   * @param uid the uid that the object must have to be deleted; empty if any would do
   * @param status how it was answered, 0 before it is
   */
  public record Deletion(String path, String uid, int status) {

    /** Returns whether the API server deleted the object, or marked it for deletion. */
    public boolean isAccepted() {
      return status / 100 == 2;
    }
  }

  private record Injection(
      Predicate<RequestLog.Request> matching,
      String bodyPart,
      ApiFault fault,
      AtomicInteger times) {}

  /** Headers that belong to one connection, and those the JDK's client sets itself. */
  private static final Set<String> NOT_PASSED_ON =
      Set.of(
          "connection",
          "content-length",
          "expect",
          "host",
          "http2-settings",
          "transfer-encoding",
          "upgrade");

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Config upstream;
  private final HttpClient client;
  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("faulty-api-server").factory());
  private final List<Injection> injections = new CopyOnWriteArrayList<>();
  private final List<Answered> answered = new CopyOnWriteArrayList<>();
  private final List<RequestLog.Request> received = new CopyOnWriteArrayList<>();
  private final List<Deletion> deletions = new CopyOnWriteArrayList<>();
  private final Set<InputStream> watches = ConcurrentHashMap.newKeySet();
  private final Set<InputStream> dropped = ConcurrentHashMap.newKeySet();
  private final Object watchEvents = new Object();
  private volatile Predicate<RequestLog.Request> watchesHeld = request -> false;
  private volatile Instant silentSince = Instant.MAX;
  private volatile Instant silentUntil = Instant.MAX;
  private volatile Consumer<Deletion> beforeDeletion = deletion -> {};
  private volatile BiConsumer<RequestLog.Request, JsonNode> onWrite = (request, body) -> {};

  /** Starts on a free port of the loopback address, in front of the server of this config. */
  public FaultyApiServer(Config upstream) {
    this.upstream = upstream;
    // Read once, when the server class loads: without it an answer waits for the peer's delayed
    // acknowledgement, 40 ms each.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    try {
      client =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .sslContext(SSLUtils.sslContext(upstream))
              .executor(threads)
              .build();
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  /** The address of this door. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** A client configuration for this door and the same user. */
  public Config config() {
    return new ConfigBuilder(Config.empty())
        .withMasterUrl(url())
        .withOauthToken(upstream.getOauthToken())
        .withNamespace(upstream.getNamespace())
        .build();
  }

  /** Makes later requests that match meet this fault. A later injection goes before an earlier. */
  public void inject(Predicate<RequestLog.Request> matching, ApiFault fault) {
    inject(Integer.MAX_VALUE, matching, fault);
  }

  /** The next so many requests that match meet this fault. */
  public void inject(int times, Predicate<RequestLog.Request> matching, ApiFault fault) {
    inject(times, matching, "", fault);
  }

  /** The next so many requests that match, and have this in their body, meet this fault. */
  public void inject(
      int times, Predicate<RequestLog.Request> matching, String bodyPart, ApiFault fault) {
    injections.add(0, new Injection(matching, bodyPart, fault, new AtomicInteger(times)));
  }

  /** Answers later requests whose path has this end in the API server's place, with 200. */
  public void answer(String pathEnd, String body) {
    inject(
        request -> request.path().endsWith(pathEnd),
        request -> Optional.of(new ApiFault.Answer(200, Map.of(), body)));
  }

  /** Passes every later request on. */
  public void heal() {
    injections.clear();
  }

  /** Ends every open watch, as a restarting proxy does; events that are held are lost with it. */
  public void dropWatches() {
    dropped.addAll(watches);
    watches.forEach(FaultyApiServer::closeQuietly);
    releaseWatches();
  }

  /** Silences watches: later changes are reported only after {@link #releaseWatches()}. */
  public void holdWatches() {
    holdWatches(request -> true);
  }

  /** Silences some watches. */
  public void holdWatches(Predicate<RequestLog.Request> which) {
    synchronized (watchEvents) {
      if (silentUntil.isBefore(Instant.MAX) || silentSince.equals(Instant.MAX)) {
        silentSince = Instant.now();
        silentUntil = Instant.MAX;
      }
      watchesHeld = which;
    }
  }

  /** Tells all that was held, in order. */
  public void releaseWatches() {
    synchronized (watchEvents) {
      watchesHeld = request -> false;
      silentUntil = Instant.now();
      watchEvents.notifyAll();
    }
  }

  /** Returns whether watches were silent all the time between these moments. */
  public boolean wereWatchesSilent(Instant from, Instant to) {
    synchronized (watchEvents) {
      return !silentSince.isAfter(from) && !silentUntil.isBefore(to);
    }
  }

  /** Every deletion that was answered, oldest first. */
  public List<Deletion> deletions() {
    return deletions;
  }

  /** Calls the listener for every later deletion, before the API server gets it. */
  public void beforeEachDeletion(Consumer<Deletion> listener) {
    beforeDeletion = listener;
  }

  /** Calls the listener for every later write as soon as it comes in, also if it fails. */
  public void onEachWrite(BiConsumer<RequestLog.Request, JsonNode> listener) {
    onWrite = listener;
  }

  /** Every request that came in, oldest first, answered or not. */
  public List<RequestLog.Request> received() {
    return received;
  }

  /** Every request that was answered, oldest first. */
  public List<Answered> answered() {
    return answered;
  }

  /** Returns the number of requests that a fault has answered. */
  public long faults() {
    return answered.stream().filter(Answered::byFault).count();
  }

  @Override
  public void close() {
    heal();
    dropWatches();
    server.stop(0);
    threads.shutdownNow();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      URI uri = exchange.getRequestURI();
      var request =
          new RequestLog.Request(
              Instant.now(), exchange.getRequestMethod(), uri.getPath(), uri.getQuery());
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (exchange.getRequestHeaders().containsKey("Sec-WebSocket-Key")) {
        // With this status clients ask again without WebSocket, and at once.
        exchange.sendResponseHeaders(200, -1);
        return;
      }
      received.add(request);
      if (request.isWrite()) {
        onWrite.accept(request, JSON.readTree(body));
      }
      Optional<ApiFault> fault = faultFor(request, body);
      Optional<ApiFault.Answer> answer =
          fault.isPresent() ? fault.get().meet(request) : Optional.empty();
      if (answer.isPresent()) {
        answered.add(new Answered(request, answer.get().status(), true));
        answer.get().send(exchange);
      } else {
        passOn(exchange, request, body, fault.filter(ApiFault::losesAnswer).isPresent());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Optional<ApiFault> faultFor(RequestLog.Request request, byte[] body) {
    String text = new String(body, StandardCharsets.UTF_8);
    return injections.stream()
        .filter(injection -> injection.matching().test(request))
        .filter(injection -> text.contains(injection.bodyPart()))
        .filter(injection -> injection.times().getAndDecrement() > 0)
        .map(Injection::fault)
        .findFirst();
  }

  private void passOn(
      HttpExchange exchange, RequestLog.Request request, byte[] body, boolean answerIsLost)
      throws IOException, InterruptedException {
    HttpResponse<InputStream> response = ask(exchange, request, body);
    answered.add(new Answered(request, response.statusCode(), false));
    if (answerIsLost) {
      response.body().close();
      return;
    }
    response
        .headers()
        .map()
        .forEach(
            (name, values) -> {
              if (!name.startsWith(":") && !NOT_PASSED_ON.contains(name)) {
                exchange.getResponseHeaders().put(name, values);
              }
            });
    try (InputStream from = response.body()) {
      if (request.isWatch()) {
        watches.add(from);
      }
      exchange.sendResponseHeaders(response.statusCode(), 0);
      // Or a watch would be accepted with its first event only.
      exchange.getResponseBody().flush();
      stream(from, exchange, request);
    } finally {
      watches.remove(response.body());
      dropped.remove(response.body());
    }
  }

  /** Every piece at once, because a watch's events must not wait for each other. */
  private void stream(InputStream from, HttpExchange exchange, RequestLog.Request request)
      throws IOException, InterruptedException {
    byte[] buffer = new byte[16 * 1024];
    for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
      if (request.isWatch() && !awaitTelling(request, from)) {
        return;
      }
      exchange.getResponseBody().write(buffer, 0, read);
      exchange.getResponseBody().flush();
    }
  }

  /**
   * Returns whether what was read of a watch may be told; false if the watch was dropped meanwhile.
   */
  private boolean awaitTelling(RequestLog.Request request, InputStream watch)
      throws InterruptedException {
    synchronized (watchEvents) {
      if (!watchesHeld.test(request)) {
        return true;
      }
      while (watchesHeld.test(request)) {
        watchEvents.wait();
      }
      return !dropped.contains(watch);
    }
  }

  private HttpResponse<InputStream> ask(
      HttpExchange exchange, RequestLog.Request request, byte[] body)
      throws IOException, InterruptedException {
    boolean deletes = request.method().equals("DELETE");
    String uid = deletes ? uidIn(body) : "";
    if (deletes) {
      beforeDeletion.accept(new Deletion(request.path(), uid, 0));
    }
    HttpResponse<InputStream> response =
        client.send(upstreamRequest(exchange, body), HttpResponse.BodyHandlers.ofInputStream());
    if (deletes) {
      deletions.add(new Deletion(request.path(), uid, response.statusCode()));
    }
    return response;
  }

  private static String uidIn(byte[] deleteOptions) throws IOException {
    return JSON.readTree(deleteOptions).path("preconditions").path("uid").asText("");
  }

  private HttpRequest upstreamRequest(HttpExchange exchange, byte[] body) {
    String master = upstream.getMasterUrl().replaceAll("/$", "");
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create(master + exchange.getRequestURI()))
            .method(
                exchange.getRequestMethod(),
                body.length == 0
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofByteArray(body));
    exchange
        .getRequestHeaders()
        .forEach(
            (name, values) -> {
              if (!NOT_PASSED_ON.contains(name.toLowerCase(java.util.Locale.ROOT))) {
                values.forEach(value -> builder.header(name, value));
              }
            });
    // kubectl and its libraries send no token over plain HTTP.
    if (!exchange.getRequestHeaders().containsKey("Authorization")) {
      builder.header("Authorization", "Bearer " + upstream.getOauthToken());
    }
    return builder.build();
  }

  private static void closeQuietly(InputStream stream) {
    try {
      stream.close();
    } catch (IOException e) {
      // It is closed either way.
    }
  }
}
