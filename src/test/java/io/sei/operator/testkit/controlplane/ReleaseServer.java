package io.sei.operator.testkit.controlplane;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/**
 * A mirror of the releases of Kubernetes and etcd whose binaries are shell scripts. It serves
 * whatever version it is asked for.
 */
final class ReleaseServer implements AutoCloseable {

  private final HttpServer server;
  private final Path scratch;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final Map<String, byte[]> replacements = new ConcurrentHashMap<>();
  private final Set<String> removed = ConcurrentHashMap.newKeySet();

  ReleaseServer(Path scratch) throws IOException {
    this.scratch = scratch;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** From now on the file of that name has other content than its checksum says. */
  void replace(String name, String content) {
    replacements.put(name, content.getBytes(StandardCharsets.UTF_8));
  }

  /** From now on there is no file of that name. */
  void remove(String name) {
    removed.add(name);
  }

  /** The paths asked for so far. */
  List<String> requests() {
    return List.copyOf(requests);
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    requests.add(path);
    String name = path.substring(path.lastIndexOf('/') + 1);
    String versionless = name.startsWith("etcd-") ? "etcd.tar.gz" : name;
    try (exchange) {
      if (removed.contains(versionless)) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      byte[] replacement = replacements.get(versionless);
      byte[] body = replacement == null ? content(path, name) : replacement;
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private byte[] content(String path, String name) throws IOException {
    if (name.equals("SHA256SUMS")) {
      String version = path.split("/")[1];
      String archive = "etcd-" + version + "-linux-" + architecture();
      return "%s  %s.tar.gz%n"
          .formatted(sha256(etcdArchive(archive)), archive)
          .getBytes(StandardCharsets.UTF_8);
    }
    if (name.endsWith(".tar.gz")) {
      return etcdArchive(name.replace(".tar.gz", ""));
    }
    if (name.endsWith(".sha256")) {
      return sha256(script(name.replace(".sha256", ""))).getBytes(StandardCharsets.UTF_8);
    }
    return script(name);
  }

  private synchronized byte[] etcdArchive(String name) throws IOException {
    Path archive = scratch.resolve(name + ".tar.gz");
    if (Files.notExists(archive)) {
      Path directory = Files.createDirectories(scratch.resolve(name));
      Files.write(directory.resolve("etcd"), script("etcd"));
      Process tar =
          new ProcessBuilder("tar", "-czf", archive.toString(), "-C", scratch.toString(), name)
              .inheritIO()
              .start();
      if (tar.onExit().join().exitValue() != 0) {
        throw new IOException("tar failed");
      }
    }
    return Files.readAllBytes(archive);
  }

  static byte[] script(String name) {
    return "#!/bin/sh\necho fake %s\n".formatted(name).getBytes(StandardCharsets.UTF_8);
  }

  private static String architecture() {
    return System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
  }

  private static String sha256(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
