package io.sei.operator.testkit;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Records what a client asks of the API server, and refuses what a test wants refused. */
public final class RequestLog implements Interceptor {

  /** A request, watches included. */
  public record Request(Instant at, String method, String path, String query) {

    /** Returns whether the request is the start of a watch. */
    public boolean isWatch() {
      return query != null && query.contains("watch=true");
    }

    /** Returns whether the request is about an Event or a Lease, which no reconcile depends on. */
    public boolean isAside() {
      return path.contains("/leases") || path.endsWith("/events") || path.contains("/events/");
    }

    /** Returns whether the request changes something other than leases and events. */
    public boolean isWrite() {
      return !method.equals("GET") && !path.contains("/leases") && !path.contains("/events");
    }

    @Override
    public String toString() {
      return method + " " + path;
    }
  }

  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private final List<String> deleted = new CopyOnWriteArrayList<>();
  private final AtomicInteger refusals = new AtomicInteger();
  private volatile Predicate<Request> refused = request -> false;
  private volatile Consumer<Request> listener = request -> {};

  @Override
  public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
    var seen =
        new Request(
            Instant.now(), request.method(), request.uri().getPath(), request.uri().getQuery());
    listener.accept(seen);
    if (refused.test(seen)) {
      refusals.incrementAndGet();
      throw new IllegalStateException("the test refuses " + seen);
    }
    requests.add(seen);
  }

  @Override
  public void after(
      HttpRequest request,
      HttpResponse<?> response,
      AsyncBody.Consumer<List<ByteBuffer>> consumer) {
    if (request.method().equals("DELETE") && response.isSuccessful()) {
      deleted.add(request.uri().getPath());
    }
  }

  /** Paths of what the API server deleted or marked for deletion; a refused delete is none. */
  public List<String> deleted() {
    return List.copyOf(deleted);
  }

  /** Keeps later requests that match from the API server. */
  public void refuse(Predicate<Request> matching) {
    refused = matching;
  }

  /** Returns the number of refused requests so far. */
  public int refusals() {
    return refusals.get();
  }

  /** Calls the listener before each later request is sent; the sender waits meanwhile. */
  public void beforeEach(Consumer<Request> listener) {
    this.listener = listener;
  }

  /** Everything asked so far, watches left out. */
  public List<Request> all() {
    return requests.stream().filter(request -> !request.isWatch()).toList();
  }

  /** Everything asked so far that matches. */
  public List<Request> matching(Predicate<Request> wanted) {
    return all().stream().filter(wanted).toList();
  }

  /** Forgets what was asked so far. */
  public void clear() {
    requests.clear();
    deleted.clear();
  }
}
