package io.sei.operator.testkit;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.sei.operator.testkit.controlplane.ComponentProcess;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The real kube-rbac-proxy with the arguments and the configuration of a node's pod, in front of a
 * server that answers everything with 200. It reviews tokens as an administrator.
 */
public final class KubeRbacProxy implements AutoCloseable {

  private static final String NAME = "kube-rbac-proxy";
  private static final GoTool TOOL =
      new GoTool(
          "test/go/node/kube-rbac-proxy", "github.com/brancz/kube-rbac-proxy/cmd/kube-rbac-proxy");

  private final HttpServer upstream;
  private final ComponentProcess process;
  private final URI url;
  private final List<String> passed = new CopyOnWriteArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();

  /**
   * Starts it and waits until it listens.
   *
   * @param name of this one among those of a test
   * @param pod the pod that has the proxy
   * @param configuration what the pod mounts as the proxy's configuration
   */
  public KubeRbacProxy(
      ControlPlane controlPlane, String name, PodSpec pod, ConfigMap configuration) {
    try {
      upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      upstream.createContext(
          "/",
          exchange -> {
            passed.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
          });
      upstream.start();
      int port = freePort();
      url = URI.create("http://127.0.0.1:" + port);
      Path logs = controlPlane.logDirectory();
      Path file = Files.createTempFile(logs, name, ".yaml");
      Files.writeString(file, configuration.getData().get("config.yaml"));
      process =
          ComponentProcess.start(
              NAME,
              logs.resolve(name + "-" + NAME + ".log"),
              command(pod, controlPlane.kubeconfig(ControlPlane.ADMIN), file, port));
      Looks.eventually(
          Duration.ofSeconds(30),
          () -> {
            process.requireAlive();
            new Socket("127.0.0.1", port).close();
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The status that the proxy answers to a request for a sidecar's path with this token. */
  public int answer(String method, String path, String token) {
    try {
      return http.send(
              HttpRequest.newBuilder(url.resolve(path))
                  .method(method, BodyPublishers.noBody())
                  .header("Authorization", "Bearer " + token)
                  .build(),
              BodyHandlers.discarding())
          .statusCode();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Requests that the proxy let through. */
  public List<String> passed() {
    return List.copyOf(passed);
  }

  @Override
  public void close() {
    process.kill();
    upstream.stop(0);
    http.close();
  }

  private List<String> command(PodSpec pod, Path kubeconfig, Path configuration, int port) {
    Container proxy =
        pod.getInitContainers().stream()
            .filter(container -> NAME.equals(container.getName()))
            .findFirst()
            .orElseThrow();
    var command = new ArrayList<>(List.of(TOOL.find().toString(), "--kubeconfig=" + kubeconfig));
    command.add("--insecure-listen-address=127.0.0.1:" + port);
    command.add("--upstream=http://127.0.0.1:" + upstream.getAddress().getPort() + "/");
    command.add("--config-file=" + configuration);
    proxy.getArgs().stream()
        .filter(argument -> command.stream().noneMatch(text -> flag(text).equals(flag(argument))))
        .toList()
        .forEach(command::add);
    return command;
  }

  private static String flag(String argument) {
    return argument.substring(0, Math.max(0, argument.indexOf('=')));
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
