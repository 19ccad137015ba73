package io.sei.operator.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The RPC of any number of nodes behind one HTTP server on the loopback address, with a path prefix
 * for each: the part of CometBFT's API that reports the height and the planned upgrade of a chain.
 * Every node is on {@link #CHAIN} unless {@link #runs} sets another one.
 */
public final class ChainSimulator implements AutoCloseable {

  /** The chain of the nodes that tests create. */
  public static final String CHAIN = "atlantic-2";

  /** Fault of a node. */
  public enum Fault {
    /** A page instead of an answer, as a proxy in front of it gives. */
    HTML,
    /** A body without an end. */
    ENDLESS,
    /** Gives no answer at all. */
    SILENT,
    /** A head, and then no body. */
    NO_BODY,
    /** A plan that is no protobuf. */
    JUNK_PLAN,
    /** An error of the RPC, with status 200 as seid gives it. */
    ERROR,
    /** A way to another server. */
    REDIRECT,
    /** Blocks of long ago, and no plan yet. */
    CATCHING_UP
  }

  private record NodeKey(String namespace, String name) {}

  private static final Pattern PATH =
      Pattern.compile(
          "/([^/]+)/([^/]+)(/status|/net_info|/abci_query|/abci_info|/block|/block_results)");
  private static final String CURRENT_PLAN = "path=\"/cosmos.upgrade.v1beta1.Query/CurrentPlan\"";
  private static final String OPEN_PROPOSALS =
      "path=\"/cosmos.gov.v1beta1.Query/Proposals\"&data=0x08022204180a2801";
  private static final String VOTING_PARAMS =
      "path=\"/cosmos.gov.v1beta1.Query/Params\"&data=0x0a06766f74696e67";

  private final Map<String, SimulatedChain> chains = new ConcurrentHashMap<>();
  private final Map<NodeKey, String> chainIds = new ConcurrentHashMap<>();
  private final Map<NodeKey, Fault> faults = new ConcurrentHashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("chain-http").factory());
  private final HttpServer server;

  /** Serves on a free port of the loopback address. */
  public ChainSimulator() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  /** The base URL of a node's RPC, with the placeholders {@code {namespace}}, {@code {name}}. */
  public String urlTemplate() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/{namespace}/{name}";
  }

  /** The chain {@link #CHAIN}. */
  public SimulatedChain chain() {
    return chain(CHAIN);
  }

  /** The chain with this id. */
  public SimulatedChain chain(String id) {
    return chains.computeIfAbsent(id, SimulatedChain::new);
  }

  /** Puts a node on a chain. */
  public void runs(String namespace, String node, String chainId) {
    chainIds.put(new NodeKey(namespace, node), chainId);
  }

  /** Gives a node a fault; null takes it away. */
  public void fault(String namespace, String node, Fault fault) {
    if (fault == null) {
      faults.remove(new NodeKey(namespace, node));
    } else {
      faults.put(new NodeKey(namespace, node), fault);
    }
  }

  /** The nodes that were asked what is planned, as {@code namespace/name}, the oldest first. */
  public List<String> asked() {
    return List.copyOf(asked);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Matcher path = PATH.matcher(exchange.getRequestURI().getPath());
      if (!path.matches()) {
        send(exchange, 404, "404 page not found");
        return;
      }
      var node = new NodeKey(path.group(1), path.group(2));
      String about = path.group(3);
      if (CURRENT_PLAN.equals(exchange.getRequestURI().getQuery())) {
        asked.add(node.namespace() + "/" + node.name());
      }
      SimulatedChain chain = chain(chainIds.getOrDefault(node, CHAIN));
      Fault fault = faults.get(node);
      if (fault == null || fault == Fault.JUNK_PLAN || fault == Fault.CATCHING_UP) {
        send(exchange, 200, answer(exchange, chain, about, fault));
      } else {
        fail(exchange, fault);
      }
    }
  }

  private static String answer(
      HttpExchange exchange, SimulatedChain chain, String about, Fault fault) {
    if (about.equals("/status")) {
      return chain.status(fault == Fault.CATCHING_UP);
    }
    if (about.equals("/net_info")) {
      return chain.netInfo();
    }
    if (about.equals("/abci_info")) {
      return chain.info();
    }
    if (about.startsWith("/block")) {
      String height = exchange.getRequestURI().getQuery().replaceFirst("^height=", "");
      return about.equals("/block")
          ? chain.block(Long.parseLong(height))
          : chain.blockResults(Long.parseLong(height));
    }
    return switch (exchange.getRequestURI().getQuery()) {
      case CURRENT_PLAN ->
          fault == Fault.JUNK_PLAN ? chain.query("junk".getBytes(UTF_8)) : chain.query();
      case OPEN_PROPOSALS -> chain.openProposals();
      case VOTING_PARAMS -> chain.votingParams();
      case null, default ->
          "{\"response\":{\"code\":6,\"log\":\"unknown query path\",\"value\":null}}";
    };
  }

  private void fail(HttpExchange exchange, Fault fault) throws IOException {
    switch (fault) {
      case HTML -> send(exchange, 200, "<html><body>Welcome</body></html>");
      case ERROR -> send(exchange, 200, "{\"code\":-32603,\"message\":\"Internal error\"}");
      case REDIRECT -> {
        exchange.getResponseHeaders().set("Location", urlTemplate());
        send(exchange, 302, "");
      }
      case ENDLESS -> {
        exchange.sendResponseHeaders(200, 0);
        OutputStream body = exchange.getResponseBody();
        byte[] more = "{\"more\":".repeat(1024).getBytes(UTF_8);
        while (!threads.isShutdown()) {
          body.write(more);
        }
      }
      case NO_BODY -> {
        exchange.sendResponseHeaders(200, 100);
        exchange.getResponseBody().flush();
        awaitClose();
      }
      default -> awaitClose();
    }
  }

  private synchronized void awaitClose() {
    try {
      while (!threads.isShutdown()) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
