package io.sei.operator.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.http.WebSocket;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Reports every watch to a {@link WatchMonitor} and ends those that the monitor renews; requests
 * pages of lists through {@link ListPages}.
 */
final class MonitoredHttpClient implements HttpClient {

  /** The event that an API server sends to a watch whose resourceVersion is too old. */
  private static final String EXPIRED =
      """
      {"type":"ERROR","object":{"apiVersion":"v1","kind":"Status","metadata":{},"status":"Failure",\
      "reason":"Expired","code":410,"message":"the watch stayed silent although it was renewed"}}
      """;

  private final HttpClient client;
  private final WatchMonitor monitor;
  private final ApiServerStart start;
  private final ListPages pages;

  MonitoredHttpClient(HttpClient client, WatchMonitor monitor, ApiServerStart start) {
    this(client, monitor, start, new ListPages());
  }

  private MonitoredHttpClient(
      HttpClient client, WatchMonitor monitor, ApiServerStart start, ListPages pages) {
    this.client = client;
    this.monitor = monitor;
    this.start = start;
    this.pages = pages;
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, Class<T> type) {
    monitor.requested(request);
    CompletableFuture<HttpResponse<T>> answer = start.send(() -> pages.send(client, request, type));
    answer.whenComplete(
        (response, failure) -> {
          if (failure == null && response.isSuccessful()) {
            monitor.answered(request);
          } else {
            monitor.failed(request);
          }
        });
    return answer;
  }

  @Override
  public CompletableFuture<HttpResponse<AsyncBody>> consumeBytes(
      HttpRequest request, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
    return WatchMonitor.isWatch(request.uri())
        ? new StreamedWatch(consumer).open(request)
        : client.consumeBytes(request, consumer);
  }

  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    return new MonitoredWebSocketBuilder(client.newWebSocketBuilder());
  }

  @Override
  public DerivedClientBuilder newBuilder() {
    return new MonitoredClientBuilder(client.newBuilder());
  }

  @Override
  public HttpRequest.Builder newHttpRequestBuilder() {
    return client.newHttpRequestBuilder();
  }

  @Override
  public boolean isClosed() {
    return client.isClosed();
  }

  @Override
  public void close() {
    client.close();
  }

  /** Builds clients that report to the same monitor. */
  private final class MonitoredClientBuilder implements DerivedClientBuilder {

    private final DerivedClientBuilder builder;

    private MonitoredClientBuilder(DerivedClientBuilder builder) {
      this.builder = builder;
    }

    @Override
    public HttpClient build() {
      return new MonitoredHttpClient(builder.build(), monitor, start, pages);
    }

    @Override
    public DerivedClientBuilder addOrReplaceInterceptor(String name, Interceptor interceptor) {
      builder.addOrReplaceInterceptor(name, interceptor);
      return this;
    }

    @Override
    public DerivedClientBuilder authenticatorNone() {
      builder.authenticatorNone();
      return this;
    }

    @Override
    public DerivedClientBuilder tag(Object value) {
      builder.tag(value);
      return this;
    }
  }

  /** Reports the WebSocket, which is a watch: the operator opens no others. */
  private final class MonitoredWebSocketBuilder implements WebSocket.Builder {

    private final WebSocket.Builder builder;
    private URI uri;

    private MonitoredWebSocketBuilder(WebSocket.Builder builder) {
      this.builder = builder;
    }

    @Override
    public CompletableFuture<WebSocket> buildAsync(WebSocket.Listener listener) {
      return new WebSocketWatch(listener).open(uri, builder);
    }

    @Override
    public WebSocket.Builder uri(URI uri) {
      this.uri = uri;
      builder.uri(uri);
      return this;
    }

    @Override
    public WebSocket.Builder subprotocol(String protocol) {
      builder.subprotocol(protocol);
      return this;
    }

    @Override
    public WebSocket.Builder header(String name, String value) {
      builder.header(name, value);
      return this;
    }

    @Override
    public WebSocket.Builder setHeader(String name, String value) {
      builder.setHeader(name, value);
      return this;
    }

    @Override
    public WebSocket.Builder connectTimeout(long timeout, TimeUnit unit) {
      builder.connectTimeout(timeout, unit);
      return this;
    }
  }

  /** A watch by WebSocket. */
  private final class WebSocketWatch implements WebSocket.Listener, WatchMonitor.Connection {

    private static final int NORMAL_CLOSURE = 1000;

    private final WebSocket.Listener listener;
    private WatchMonitor.Watch watch;
    private CompletableFuture<WebSocket> opening;
    private WebSocket socket;
    private boolean isEnded;

    private WebSocketWatch(WebSocket.Listener listener) {
      this.listener = listener;
    }

    private CompletableFuture<WebSocket> open(URI uri, WebSocket.Builder builder) {
      watch = monitor.requested(uri, this);
      opening = builder.buildAsync(this);
      opening.whenComplete(
          (_, failure) -> {
            if (failure != null) {
              monitor.failed(watch, this);
            }
          });
      return opening;
    }

    @Override
    public void onOpen(WebSocket opened) {
      monitor.accepted(watch, this);
      unlessEnded(
          () -> {
            socket = opened;
            listener.onOpen(opened);
          });
    }

    @Override
    public void onMessage(WebSocket from, String text) {
      monitor.heard(watch, this);
      unlessEnded(() -> listener.onMessage(from, text));
    }

    @Override
    public void onMessage(WebSocket from, ByteBuffer bytes) {
      monitor.heard(watch, this);
      unlessEnded(() -> listener.onMessage(from, bytes));
    }

    @Override
    public void onClose(WebSocket closed, int code, String reason) {
      if (code == NORMAL_CLOSURE) {
        monitor.closed(watch, this);
      } else {
        lost();
      }
      endWith(() -> listener.onClose(closed, code, reason));
    }

    @Override
    public void onError(WebSocket broken, Throwable error) {
      lost();
      endWith(() -> listener.onError(broken, error));
    }

    private void lost() {
      // A connection that the operator has given up says nothing about the API server.
      unlessEnded(start::unreachable);
      monitor.lost(watch, this);
    }

    @Override
    public void end(String cause) {
      var error = new IOException(cause);
      // While it opens, the library waits for the future, not as a listener.
      if (!opening.completeExceptionally(error)) {
        endWith(() -> listener.onError(socket, error));
      }
    }

    @Override
    public void expire() {
      if (!opening.completeExceptionally(new IOException("no answer"))) {
        endWith(() -> listener.onMessage(socket, EXPIRED));
      }
    }

    private synchronized void unlessEnded(Runnable call) {
      if (!isEnded) {
        call.run();
      }
    }

    private synchronized void endWith(Runnable lastCall) {
      if (isEnded) {
        return;
      }
      lastCall.run();
      isEnded = true;
    }
  }

  /** A watch by a plain request, which the library makes where a proxy refuses WebSockets. */
  private final class StreamedWatch
      implements AsyncBody.Consumer<List<ByteBuffer>>, WatchMonitor.Connection {

    private final AsyncBody.Consumer<List<ByteBuffer>> consumer;
    private WatchMonitor.Watch watch;
    private CompletableFuture<HttpResponse<AsyncBody>> opening;
    private volatile AsyncBody body;
    private boolean isWithinMessage;
    private boolean isEnded;

    private StreamedWatch(AsyncBody.Consumer<List<ByteBuffer>> consumer) {
      this.consumer = consumer;
    }

    private CompletableFuture<HttpResponse<AsyncBody>> open(HttpRequest request) {
      watch = monitor.requested(request.uri(), this);
      opening = client.consumeBytes(request, this);
      opening.whenComplete(this::opened);
      return opening;
    }

    private void opened(HttpResponse<AsyncBody> response, Throwable failure) {
      if (failure != null || !response.isSuccessful()) {
        monitor.failed(watch, this);
        return;
      }
      body = response.body();
      monitor.accepted(watch, this);
      body.done().whenComplete(this::done);
    }

    private void done(Void nothing, Throwable error) {
      if (error == null) {
        monitor.closed(watch, this);
      } else {
        monitor.lost(watch, this);
      }
    }

    @Override
    public synchronized void consume(List<ByteBuffer> bytes, AsyncBody from) throws Exception {
      monitor.heard(watch, this);
      if (!isEnded) {
        isWithinMessage = endsWithinMessage(bytes);
        consumer.consume(bytes, from);
      }
    }

    private boolean endsWithinMessage(List<ByteBuffer> bytes) {
      if (bytes.isEmpty() || !bytes.getLast().hasRemaining()) {
        return isWithinMessage;
      }
      ByteBuffer last = bytes.getLast();
      return last.get(last.limit() - 1) != '\n';
    }

    @Override
    public void end(String cause) {
      if (!opening.completeExceptionally(new IOException(cause))) {
        body.cancel();
      }
    }

    @Override
    public void expire() {
      if (opening.completeExceptionally(new IOException("no answer"))) {
        return;
      }
      endExpired();
      body.cancel();
    }

    /** The library cannot tell where a message begins that follows a part of another. */
    private synchronized void endExpired() {
      isEnded = true;
      if (isWithinMessage) {
        return;
      }
      try {
        consumer.consume(List.of(ByteBuffer.wrap(EXPIRED.getBytes(UTF_8))), body);
      } catch (Exception e) {
        body.done().completeExceptionally(e);
      }
    }
  }
}
