package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A real sidecar as a process on the loopback address, with an empty home and no cloud. */
final class SidecarProcess implements TestedSidecar {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int RPC_PORT = 26657;

  private final Path binary;
  private final Path home;
  private final int port;
  private final List<HttpServer> peers = new ArrayList<>();
  private final CountDownLatch released = new CountDownLatch(1);
  private Process process;

  SidecarProcess(Path binary, Path home) {
    this.binary = binary;
    this.home = home;
    try (var free = new ServerSocket(0)) {
      port = free.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start();
  }

  private void start() {
    var builder = builder(home);
    builder.redirectOutput(home.resolveSibling(home.getFileName() + ".log").toFile());
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    await().atMost(PATIENCE).ignoreExceptions().until(() -> status("/v0/livez", null) == 200);
  }

  private ProcessBuilder builder(Path itsHome) {
    var builder = new ProcessBuilder(binary.toString(), "serve").redirectErrorStream(true);
    builder.environment().putAll(ENVIRONMENT);
    builder.environment().put("SEI_HOME", itsHome.toString());
    builder.environment().put("SEI_SIDECAR_PORT", String.valueOf(port));
    return builder;
  }

  /** The line without its time, or the word in its place. */
  @Override
  public String refusal(Map<String, String> variables) {
    var builder = builder(home.resolveSibling(home.getFileName() + "-of-another"));
    builder.environment().putAll(variables);
    try {
      Process refused = builder.start();
      String output = new String(refused.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(refused.waitFor()).as(output).isEqualTo(1);
      return output.strip().replaceFirst("(?s).*(\\d{4}/\\d\\d/\\d\\d [\\d:]{8}|error:) ", "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public URI url() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Types that are refused tell versions apart; the bad id keeps the others from being run. */
  @Override
  public SidecarVersion version() {
    if (knows("discover-peers")) {
      return SidecarVersion.V0_0_50;
    }
    if (knows("await-seid-start")) {
      return SidecarVersion.IN_TREE;
    }
    return knows("snapshot-upload-once") ? SidecarVersion.V0_0_70 : SidecarVersion.V0_0_62;
  }

  private boolean knows(String type) {
    String body = "{\"id\":\"none\",\"type\":\"" + type + "\"}";
    try {
      var connection = connect("/v0/tasks", body);
      connection.getResponseCode();
      return !new String(connection.getErrorStream().readAllBytes(), StandardCharsets.UTF_8)
          .contains("unknown task type");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private int status(String path, String body) throws IOException {
    return connect(path, body).getResponseCode();
  }

  private HttpURLConnection connect(String path, String body) throws IOException {
    var connection = (HttpURLConnection) URI.create(url() + path).toURL().openConnection();
    if (body != null) {
      connection.setDoOutput(true);
      connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
    }
    return connection;
  }

  @Override
  public String setting(String file, String table, String key) {
    var line =
        Pattern.compile(
            "\\["
                + Pattern.quote(table)
                + "][^\\[]*?\\n\\s*"
                + key
                + "\\s*=\\s*(?:['\"]?([^'\"\\[\\n]*)|(\\[.*\\]))['\"]?\\n");
    try {
      Matcher value = line.matcher(Files.readString(home.resolve("config").resolve(file)));
      if (!value.find()) {
        return "";
      }
      return value.group(1) == null ? value.group(2) : value.group(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void restart() {
    stop();
    start();
  }

  @Override
  public void forgetStateSync() {
    try {
      Files.delete(home.resolve(SidecarHome.STATE_SYNC_DONE));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String hangingPeer() {
    return peer(
        "127.0.0.2",
        exchange -> {
          try {
            released.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          answer(exchange, 500, "");
        });
  }

  @Override
  public void releasePeer() {
    released.countDown();
  }

  /** Flat answers, as seid gives them; an envelope would have to say {@code jsonrpc 2.0}. */
  @Override
  public String answeringPeer() {
    String hash = "A".repeat(64);
    return peer(
        "127.0.0.3",
        exchange ->
            answer(
                exchange,
                200,
                exchange.getRequestURI().getPath().equals("/status")
                    ? "{\"sync_info\":{\"latest_block_height\":\"10000\"}}"
                    : "{\"block_id\":{\"hash\":\"" + hash + "\"}}"));
  }

  @Override
  public String deadPeer() {
    return "127.0.0.4";
  }

  /** The port is always the same, because the sidecar asks no other port of a peer. */
  private String peer(String host, HttpHandler handler) {
    try {
      var server = HttpServer.create(new InetSocketAddress(host, RPC_PORT), 0);
      server.createContext("/", handler);
      server.setExecutor(
          Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("peer").factory()));
      server.start();
      peers.add(server);
      return host;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private void stop() {
    process.destroy();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    releasePeer();
    stop();
    peers.forEach(server -> server.stop(0));
  }
}
