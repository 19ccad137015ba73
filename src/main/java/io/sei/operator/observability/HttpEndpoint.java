package io.sei.operator.observability;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A port with a few pages to GET, on threads of its own. */
final class HttpEndpoint implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HttpEndpoint.class);

  /** A scraper and a person at a time; more than that waits. */
  private static final int THREADS = 2;

  record Page(int status, String contentType, String body) {
    static Page text(int status, String body) {
      return new Page(status, "text/plain; charset=utf-8", body);
    }
  }

  private final Map<String, Supplier<Page>> pages;
  private final ExecutorService threads;
  private final HttpServer server;

  /**
   * @throws UncheckedIOException if the port cannot be had; the message names it
   */
  HttpEndpoint(String name, int port, Map<String, Supplier<Page>> pages) {
    this.pages = Map.copyOf(pages);
    try {
      server = HttpServer.create(new InetSocketAddress(port), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot listen on the %s port %d: %s".formatted(name, port, e.getMessage()), e);
    }
    threads =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              var thread = new Thread(task, "http-" + name);
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      var page = page(exchange);
      var body = page.body().getBytes(UTF_8);
      boolean head = exchange.getRequestMethod().equals("HEAD");
      exchange.getResponseHeaders().set("Content-Type", page.contentType());
      exchange.sendResponseHeaders(page.status(), head || body.length == 0 ? -1 : body.length);
      if (!head) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  private Page page(HttpExchange exchange) {
    var page = pages.get(exchange.getRequestURI().getPath());
    if (page == null) {
      return Page.text(404, "not found\n");
    }
    if (!exchange.getRequestMethod().equals("GET") && !exchange.getRequestMethod().equals("HEAD")) {
      return Page.text(405, "only GET and HEAD\n");
    }
    try {
      return page.get();
    } catch (RuntimeException e) {
      log.warn("Cannot answer {}", exchange.getRequestURI().getPath(), e);
      return Page.text(500, "error\n");
    }
  }
}
