package io.sei.operator.sidecar;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server that answers every request by one handler and remembers what it was asked. */
final class ScriptedSidecar implements AutoCloseable {
  interface Handler {
    void handle(HttpExchange exchange) throws IOException;
  }

  record Request(String method, String path, String authorization, String body) {}

  final List<Request> requests = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;

  ScriptedSidecar(Handler handler) {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          requests.add(
              new Request(
                  exchange.getRequestMethod(),
                  exchange.getRequestURI().toString(),
                  exchange.getRequestHeaders().getFirst("Authorization"),
                  new String(exchange.getRequestBody().readAllBytes(), UTF_8)));
          try (exchange) {
            handler.handle(exchange);
          }
        });
    server.start();
  }

  static ScriptedSidecar answering(int status, String body) {
    return new ScriptedSidecar(exchange -> answer(exchange, status, body));
  }

  static void answer(HttpExchange exchange, int status, String body) throws IOException {
    var bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  /** Blocks a handler until the test is over. */
  static Handler hanging(CountDownLatch over) {
    return exchange -> hang(over);
  }

  static void hang(CountDownLatch over) {
    try {
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  String urlTemplate() {
    return "http://127.0.0.1:%d/{namespace}/{name}".formatted(server.getAddress().getPort());
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
