package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The simulated sidecar as the process of a container: {@code seictl serve}, in the version that
 * its image names in the variable SIDECAR_VERSION, with its environment, its exit codes and its
 * first words of an error. Tasks and what they have done are kept in one file of the home
 * directory, and written into the files of seid as {@link SeidFiles} says.
 */
public final class SidecarContainer {

  private static final String USER_HEADER = "X-Remote-User";
  private static final String STORED = "sidecar.db";
  private static final ObjectMapper JSON = new ObjectMapper();

  /** State on the volume, which outlives the process. */
  private record Volume(List<SidecarTask> tasks, SidecarHome home) {}

  private SidecarContainer() {}

  /**
   * Serves until it is stopped; ends with 1 where the real one does.
   *
   * @param arguments the program's name and its arguments
   */
  public static void main(String[] arguments) {
    // It ends well when it is asked to, and Java would end with 143.
    Runtime.getRuntime().addShutdownHook(new Thread(SidecarContainer::end));
    new SidecarCommand(List.of(arguments))
        .end()
        .ifPresent(
            crash -> {
              System.err.println(crash.log());
              Runtime.getRuntime().halt(crash.exitCode());
            });
    var environment = new SidecarEnvironment(System.getenv());
    var version = SidecarVersion.valueOf(environment.get("SIDECAR_VERSION", "V0_0_50"));
    environment.refusal(version).ifPresent(words -> fail(version, words));
    Path home = Path.of(environment.get(SidecarEnvironment.HOME, "/sei"));
    int port = Integer.parseInt(environment.get("SEI_SIDECAR_PORT", "7777"));
    String mode = environment.get(SidecarEnvironment.AUTHN_MODE, "");
    try {
      serve(
          version,
          home,
          port,
          mode.equals(SidecarEnvironment.TRUSTED_HEADER),
          new ChainsOfPod(environment));
    } catch (UncheckedIOException e) {
      fail(version, "server error: " + e.getCause().getMessage());
    }
  }

  private static void end() {
    Runtime.getRuntime().halt(0);
  }

  private static void serve(
      SidecarVersion version, Path home, int port, boolean trustsHeader, SidecarChains chains) {
    var address =
        trustsHeader
            ? new InetSocketAddress(InetAddress.getLoopbackAddress(), port)
            : new InetSocketAddress(port);
    var sidecar = new SidecarSimulator(address).version(version);
    SidecarEngine engine = sidecar.engine("", "");
    Volume left = read(home.resolve(STORED));
    engine.mount(
        new SidecarVolume(
            left.tasks(), left.home(), (tasks, saved) -> write(home, new Volume(tasks, saved))));
    engine.reach(chains);
    sidecar.tellNodeIds((namespace, node) -> new SeidFiles(home.resolve("config")).nodeId());
    engine.start("this process", new SeidOfPod());
    sidecar.serve(trustsHeader ? List.of(new TrustedHeader()) : List.of());
    System.out.println("level=INFO msg=\"serving\" addr=" + address);
  }

  /**
   * Reads the volume as an init container of the tests' pods leaves it, which runs {@code seid
   * init}.
   */
  private static Volume read(Path file) {
    try {
      return Files.exists(file)
          ? JSON.readValue(file.toFile(), Volume.class)
          : new Volume(List.of(), SidecarHome.EMPTY.initialised());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Path home, Volume volume) {
    try {
      SeidFiles.replace(home.resolve(STORED), JSON.writeValueAsString(volume));
      new SeidFiles(home.resolve("config")).write(volume.home());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void fail(SidecarVersion version, String text) {
    System.err.println(SidecarEnvironment.logLine(version, text));
    Runtime.getRuntime().halt(1);
  }

  /** Refuses requests that the proxy has not named. */
  private static final class TrustedHeader extends Filter {

    @Override
    public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
      List<String> users = exchange.getRequestHeaders().getOrDefault(USER_HEADER, List.of());
      if (SidecarHttpApi.OPEN_PATHS.contains(exchange.getRequestURI().getPath())) {
        chain.doFilter(exchange);
      } else if (users.isEmpty()) {
        refuse(exchange, "missing " + USER_HEADER + " header");
      } else if (users.size() > 1) {
        refuse(
            exchange,
            "expected exactly one " + USER_HEADER + " header — proxy must overwrite, not append");
      } else if (users.get(0).isEmpty()) {
        refuse(exchange, "empty " + USER_HEADER + " header");
      } else {
        chain.doFilter(exchange);
      }
    }

    private static void refuse(HttpExchange exchange, String text) throws IOException {
      byte[] body = JSON.writeValueAsString(Map.of("error", text)).getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(401, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    }

    @Override
    public String description() {
      return "trusts " + USER_HEADER;
    }
  }
}
