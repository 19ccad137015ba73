package io.sei.operator.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Answers reads of objects that a test has put there, as an API server does: lists in pages, single
 * objects by name. Without an object of a kind it has only those of sei.io. A namespace is no part
 * of the selection.
 */
public final class ReadOnlyApiServer implements AutoCloseable {

  private static final Pattern PATH =
      Pattern.compile("/apis?/[^?]*?(?:v\\d\\w*)/(?:namespaces/[^/]+/)?([a-z]+)(?:/([^/]+))?");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Map<String, JsonNode>> objects = new ConcurrentSkipListMap<>();

  /** Starts on a free port of the loopback address. */
  public ReadOnlyApiServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (String ours : List.of("seinodedeployments", "seinodes", "seinodetasks")) {
      objects.put(ours, new ConcurrentSkipListMap<>());
    }
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  /** Returns the flag that has kubectl use it. */
  public String flag() {
    return "--server=http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Adds an object by the plural of its kind, or replaces it. */
  public void put(String plural, JsonNode object) {
    objects
        .computeIfAbsent(plural, any -> new ConcurrentSkipListMap<>())
        .put(object.at("/metadata/name").asText(), object);
  }

  /** Removes an object. */
  public void remove(String plural, String name) {
    objects.get(plural).remove(name);
  }

  private void answer(HttpExchange exchange) throws IOException {
    Matcher path = PATH.matcher(exchange.getRequestURI().getPath());
    JsonNode answer = null;
    if (path.matches()) {
      answer = answer(path.group(1), path.group(2), exchange.getRequestURI().getQuery());
    }
    int status = answer == null ? 404 : 200;
    byte[] body = (answer == null ? notFound(exchange) : answer).toString().getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private JsonNode answer(String plural, String name, String query) {
    Map<String, JsonNode> ofKind = objects.get(plural);
    if (ofKind == null) {
      return null;
    }
    return name == null ? page(ofKind, query) : ofKind.get(name);
  }

  private static JsonNode page(Map<String, JsonNode> objects, String query) {
    int from = parameter(query, "continue", 0);
    int to = Math.min(objects.size(), from + parameter(query, "limit", objects.size()));
    ObjectNode page = JSON.createObjectNode();
    ObjectNode metadata = page.putObject("metadata");
    if (to < objects.size()) {
      metadata.put("continue", String.valueOf(to));
    }
    page.putArray("items").addAll(List.copyOf(objects.values()).subList(from, to));
    return page;
  }

  private static int parameter(String query, String name, int otherwise) {
    Matcher value = Pattern.compile("(?:^|&)" + name + "=(\\d+)").matcher(String.valueOf(query));
    return value.find() ? Integer.parseInt(value.group(1)) : otherwise;
  }

  private static JsonNode notFound(HttpExchange exchange) {
    return JSON.createObjectNode()
        .put("kind", "Status")
        .put("apiVersion", "v1")
        .put("status", "Failure")
        .put("reason", "NotFound")
        .put("message", exchange.getRequestURI() + " not found")
        .put("code", 404);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
