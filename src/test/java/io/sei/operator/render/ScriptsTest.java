package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Container;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs the scripts of the seid containers, with a seid that writes down how it was called. */
@EnabledIf("bashExists")
class ScriptsTest {

  @TempDir Path home;
  @TempDir Path bin;

  static boolean bashExists() {
    return Files.isExecutable(Path.of("/bin/bash"));
  }

  @BeforeEach
  void commands() throws IOException {
    command("seid", "echo \"$@\" >> \"$HOME/calls\"");
    command("sleep", "exec /bin/sleep 0.05");
  }

  @Test
  void seidStartsOnceTheSidecarAnswers200() throws Exception {
    var asked = new AtomicInteger();
    var sidecar = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    sidecar.createContext(
        "/v0/healthz",
        exchange -> {
          exchange.sendResponseHeaders(asked.incrementAndGet() < 4 ? 503 : 200, -1);
          exchange.close();
        });
    sidecar.start();
    try {
      run(seid(sidecar.getAddress().getPort()));
    } finally {
      sidecar.stop(0);
    }

    assertThat(asked).hasValue(4);
    assertThat(calls()).containsExactly("start --home " + home);
  }

  @Test
  void seidWaitsForASidecarThatIsNotThereYet() throws Exception {
    var process = start(seid(1));

    assertThat(process.waitFor(500, TimeUnit.MILLISECONDS)).isFalse();
    process.destroy();
    assertThat(process.waitFor(5, TimeUnit.SECONDS)).as("stops when asked to").isTrue();
    assertThat(calls()).isEmpty();
  }

  @Test
  void anEmptyHomeIsInitialized() throws Exception {
    run(seidInit());

    assertThat(calls())
        .containsExactly("init pacific-1 --chain-id pacific-1 --home " + home + " --overwrite");
    assertThat(home.resolve("tmp")).isDirectory();
  }

  @Test
  void aHomeWithAGenesisIsLeftAlone() throws Exception {
    Files.createDirectories(home.resolve("config"));
    Files.writeString(home.resolve("config/genesis.json"), "{}");

    run(seidInit());

    assertThat(calls()).isEmpty();
    assertThat(home.resolve("tmp")).isDirectory();
  }

  @Test
  void aFailedInitializationFailsTheContainer() throws Exception {
    command("seid", "exit 3");

    var process = start(seidInit());

    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({"130, 0", "0, 0", "1, 1", "2, 2", "143, 143"})
  void bootstrapEndsWellWhereSeidInterruptsItself(int ofSeid, int ofContainer) throws Exception {
    command("seid", "echo \"$@\" >> \"$HOME/calls\"; exit " + ofSeid);

    var process = startReady(bootstrap());

    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(ofContainer);
    assertThat(calls()).containsExactly("start --home " + home + " --halt-height 1000000");
  }

  @Test
  void bootstrapThatIsStoppedLetsSeidEndAndIsNoSuccess() throws Exception {
    command(
        "seid",
        """
        trap 'echo closing >> "$HOME/calls"; /bin/sleep 0.3; echo closed >> "$HOME/calls"; exit 0' TERM
        echo started >> "$HOME/calls"
        while true; do /bin/sleep 0.05; done
        """);
    var process = startReady(bootstrap());
    await().until(() -> calls().contains("started"));

    process.destroy();

    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
    assertThat(calls()).containsExactly("started", "closing", "closed");
  }

  /** Starts a container whose sidecar has let it go. */
  private Process startReady(IntFunction<Container> container) throws Exception {
    var sidecar = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    sidecar.createContext(
        "/v0/healthz",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
          sidecar.stop(0);
        });
    sidecar.start();
    return start(container.apply(sidecar.getAddress().getPort()));
  }

  private static IntFunction<Container> bootstrap() {
    return port -> {
      var spec = Rendering.bootstrapping(Nodes.full());
      var job =
          new BootstrapJobRenderer(Nodes.DEFAULTS)
              .render(Nodes.node(spec.withSidecar(new SidecarSpec(null, port, null))), "run-1");
      return job.getSpec().getTemplate().getSpec().getContainers().get(0);
    };
  }

  private static Container seid(int sidecarPort) {
    return SeidContainer.render(
        Nodes.full().withSidecar(new SidecarSpec(null, sidecarPort, null)), Nodes.DEFAULTS);
  }

  private static Container seidInit() {
    return SeidContainer.renderInit(Nodes.full());
  }

  private void run(Container container) throws Exception {
    var process = start(container);

    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }

  private Process start(Container container) throws IOException {
    var command = new ArrayList<>(container.getCommand());
    command.addAll(container.getArgs());
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("HOME", home.toString());
    builder.environment().put("PATH", bin + ":" + System.getenv("PATH"));
    return builder.start();
  }

  private List<String> calls() throws IOException {
    var calls = home.resolve("calls");
    return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
  }

  private void command(String name, String script) throws IOException {
    var file = Files.writeString(bin.resolve(name), "#!/bin/bash\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
