package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.testkit.Executable;
import io.sei.operator.testkit.ThrowAwayKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

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
  void seidDoesNotStartWithoutAGenesisAndSaysSo() throws Exception {
    for (IntFunction<Container> container :
        List.<IntFunction<Container>>of(ScriptsTest::seid, bootstrap())) {
      var log = home.resolve("log").toFile();

      var process = startReady(container, ProcessBuilder.Redirect.to(log));

      assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(PodParts.REFUSED);
      assertThat(lines("log"))
          .contains("Error: open " + home + "/config/genesis.json: no such file or directory");
    }
    assertThat(calls()).isEmpty();
  }

  @Test
  void seidStartsOnceTheSidecarAnswers200() throws Exception {
    writeGenesis();
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

  /**
   * The second is an answer in the envelope of JSON-RPC, the last one an error as seid gives it.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "200 | {\"sync_info\":{\"latest_block_height\":\"1\",\"catching_up\":true}}               |"
            + " 0",
        "200 | {\"result\":{\"sync_info\":{\"latest_block_height\": 190000000}}}                 |"
            + " 0",
        "200 | {\"sync_info\":{\"latest_block_height\":\"0\",\"earliest_block_height\":\"7\"}} | 1",
        "200 | {\"code\":-32603,\"message\":\"Internal error\"}                                  |"
            + " 1",
        "500 | {\"sync_info\":{\"latest_block_height\":\"1\"}}                                   |"
            + " 1",
      })
  void seidHasStartedOnceItHasABlock(int status, String answer, int exit) throws Exception {
    var rpc = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    rpc.createContext(
        "/status",
        exchange -> {
          byte[] body = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    rpc.start();
    try {
      assertThat(startupProbe(rpc.getAddress().getPort())).isEqualTo(exit);
    } finally {
      rpc.stop(0);
    }
  }

  @Test
  void seidHasNotStartedBeforeItsRpcIsOpen() throws Exception {
    assertThat(startupProbe(1)).isEqualTo(1);
  }

  private int startupProbe(int port) throws Exception {
    List<String> command = FirstBlock.probe().getExec().getCommand();
    var process =
        start(
            new ContainerBuilder()
                .withCommand(
                    command.stream()
                        .map(text -> text.replace("/localhost/26657", "/localhost/" + port))
                        .toList())
                .build());
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  /** The kubelet does not probe the container, so that nothing restarts it meanwhile. */
  @Test
  void exporterWaitsForASeidThatServesNoGrpcAndEndsWhenItIsAskedTo() throws Exception {
    int quarterOfAnHour = 15 * 60;
    Files.writeString(bin.resolve("functions"), "sleep() { echo >> \"$HOME/seconds\"; }");
    Container exporter =
        new ContainerBuilder(exporter(1))
            .addNewEnv()
            .withName("BASH_ENV")
            .withValue(bin.resolve("functions").toString())
            .endEnv()
            .build();
    assertThat(exporter)
        .returns(null, Container::getLivenessProbe)
        .returns(null, Container::getReadinessProbe)
        .returns(null, Container::getStartupProbe)
        .returns(null, Container::getLifecycle);

    var log = home.resolve("log").toFile();
    var process = start(exporter, ProcessBuilder.Redirect.to(log));
    await().atMost(Duration.ofMinutes(1)).until(() -> lines("seconds").size() >= quarterOfAnHour);
    assertThat(process.isAlive()).isTrue();
    process.destroy();

    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    assertThat(lines("log")).containsExactly("waiting for seid to serve gRPC on port 1");
    assertThat(calls()).isEmpty();
  }

  @Test
  void exporterStartsOnceSeidServesGrpc() throws Exception {
    command("sei-cosmos-exporter", "echo \"$@\" >> \"$HOME/calls\"");
    try (var grpc = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      run(exporter(grpc.getLocalPort()));
    }

    assertThat(calls())
        .containsExactly(
            "--denom usei --denom-coefficient 1000000 --bech-prefix sei --listen-address :9300");
  }

  private Container exporter(int grpcPort) {
    Container exporter = ExporterContainer.render("exporter:v1", Nodes.DEFAULTS);
    String script =
        exporter
            .getArgs()
            .get(0)
            .replace(String.valueOf(Ports.GRPC), String.valueOf(grpcPort))
            .replace("/usr/local/bin/", bin + "/");
    return new ContainerBuilder(exporter).withArgs(script).build();
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

  /** No plan replaces the genesis of seid init there: the sidecar has written its own once. */
  @ParameterizedTest
  @CsvSource({"data/blockstore.db", ".sei-sidecar-genesis-done"})
  void aGenesisThatIsMissingFromAVolumeInUseIsNotReplacedByThatOfSeidInit(String mark)
      throws Exception {
    initMakesFiles("");
    write(mark, "config/config.toml");

    run(seidInit());

    assertThat(calls()).isEmpty();
    assertThat(home.resolve("config/genesis.json")).doesNotExist();
  }

  @Test
  void aVolumeWithDataAloneGetsWhatSeidInitMakesButTheGenesis() throws Exception {
    initMakesFiles("");
    write("data/blockstore.db");

    run(seidInit());
    run(seidInit());

    assertThat(calls()).hasSize(1);
    assertThat(home.resolve("config")).isDirectoryContaining("glob:**/config.toml");
    assertThat(home.resolve("config/genesis.json")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({"data/priv_validator_state.json, true", "data/blockstore.db, false"})
  void anInterruptedInitializationBeginsAgain(String file, boolean hasGenesis) throws Exception {
    write(file);
    initMakesFiles("kill -9 $PPID");
    start(seidInit()).waitFor(10, TimeUnit.SECONDS);
    assertThat(home.resolve("config/genesis.json")).exists();
    initMakesFiles("");

    run(seidInit());
    run(seidInit());

    assertThat(calls()).hasSize(2);
    assertThat(Files.exists(home.resolve("config/genesis.json"))).isEqualTo(hasGenesis);
    assertThat(home).isDirectoryNotContaining("glob:**/.sei-operator-*");
  }

  private void initMakesFiles(String then) throws IOException {
    command(
        "seid",
        """
        echo "$@" >> "$HOME/calls"
        mkdir -p "$HOME/config"
        echo {} > "$HOME/config/genesis.json"
        echo > "$HOME/config/config.toml"
        """
            + then);
  }

  private void write(String... files) throws IOException {
    for (String file : files) {
      Files.createDirectories(home.resolve(file).getParent());
      Files.writeString(home.resolve(file), "");
    }
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

  private void writeGenesis() throws IOException {
    Files.createDirectories(home.resolve("config"));
    Files.writeString(home.resolve("config/genesis.json"), "{\"chain_id\":\"pacific-1\"}");
  }

  /** Starts a container on a whole home, whose sidecar has let it go. */
  private Process startReady(IntFunction<Container> container) throws Exception {
    writeGenesis();
    return startReady(container, ProcessBuilder.Redirect.DISCARD);
  }

  private Process startReady(IntFunction<Container> container, ProcessBuilder.Redirect output)
      throws Exception {
    var sidecar = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    sidecar.createContext(
        "/v0/healthz",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
          sidecar.stop(0);
        });
    sidecar.start();
    return start(container.apply(sidecar.getAddress().getPort()), output);
  }

  private static IntFunction<Container> bootstrap() {
    return port -> {
      var spec = Rendering.bootstrapping(Nodes.full());
      var job =
          new BootstrapJobRenderer(Nodes.DEFAULTS, OfflineNode.FEATURES)
              .render(Nodes.node(spec.withSidecar(new SidecarSpec(null, port, null))), "run-1");
      return job.getSpec().getTemplate().getSpec().getContainers().get(0);
    };
  }

  static Stream<String> sameKeys() {
    return Stream.of(
        ThrowAwayKeys.SIGNING_KEY,
        ThrowAwayKeys.SIGNING_KEY.replace("/", "\\/"),
        ThrowAwayKeys.signingKeyFile("seid ignores this one", "nobody"));
  }

  @ParameterizedTest
  @MethodSource("sameKeys")
  void seidStartsWithTheSigningKeyThatItsPodWasStartedFor(String mounted) throws Exception {
    mount(mounted);

    var process = startReady(port -> validator(port, ThrowAwayKeys.PUBLIC_KEY));

    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    assertThat(calls()).containsExactly("start --home " + home);
  }

  static Stream<String> otherKeys() {
    return Stream.of(
        ThrowAwayKeys.signingKeyFile("another"),
        // Seid signs with the private key, whatever is said to be the public one.
        ThrowAwayKeys.signingKeyFile(ThrowAwayKeys.PUBLIC_KEY, "another"),
        ThrowAwayKeys.SIGNING_KEY.replace("==", "="),
        "",
        "*");
  }

  @ParameterizedTest
  @MethodSource("otherKeys")
  void seidDoesNotStartWithAnotherSigningKeyAndSaysSo(String mounted) throws Exception {
    mount(mounted);

    var process = start(validator(1, ThrowAwayKeys.PUBLIC_KEY), ProcessBuilder.Redirect.PIPE);

    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(78);
    assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo(
            "the mounted signing key is not the one this pod was started for: Secret"
                + " validator-signing-key was changed; put its priv_validator_key.json back, or"
                + " restart the node with the new key by a new value of its annotation"
                + " sei.io/restart-requested-at\n");
    assertThat(calls()).isEmpty();
  }

  /** A record of a key that seid cannot have is compared as the version that wrote it did. */
  @ParameterizedTest
  @CsvSource({"a2V5/9+w=, 0", "b3RoZXI=, 78"})
  void keyOfAnotherKindIsComparedAsItWas(String mounted, int exit) throws Exception {
    mount(ThrowAwayKeys.signingKeyFile(mounted, "nobody"));

    var process = startReady(port -> validator(port, "a2V5/9+w="));

    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(exit);
  }

  @Test
  void seidDoesNotStartWithoutASigningKeyThatCanBeRead() throws Exception {
    var process = start(validator(1, ThrowAwayKeys.PUBLIC_KEY));

    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(78);
    assertThat(calls()).isEmpty();
  }

  /** No child process of seid may find the key in its environment. */
  @Test
  void theSigningKeyIsNoVariableOfSeid() throws Exception {
    command("seid", "env >> \"$HOME/calls\"");
    mount(ThrowAwayKeys.SIGNING_KEY);

    startReady(port -> validator(port, ThrowAwayKeys.PUBLIC_KEY)).waitFor(10, TimeUnit.SECONDS);

    assertThat(calls())
        .contains("SEI_SIGNING_PUBLIC_KEY=" + ThrowAwayKeys.PUBLIC_KEY)
        .noneMatch(line -> line.contains(ThrowAwayKeys.MATERIAL));
  }

  private void mount(String signingKey) throws IOException {
    Files.createDirectories(home.resolve("config"));
    Files.writeString(home.resolve("config/priv_validator_key.json"), signingKey);
  }

  private static Container validator(int sidecarPort, String publicKey) {
    var node =
        Nodes.node(Nodes.validatorWithKeys().withSidecar(new SidecarSpec(null, sidecarPort, null)));
    node.setStatus(SeiNodeStatus.empty().withSigningPublicKey(publicKey));
    var parts = new PodParts();
    OfflineNode.FEATURES.forEach(feature -> feature.pod(node, parts));
    return SeidContainer.render(node, Nodes.DEFAULTS, parts);
  }

  private static Container seid(int sidecarPort) {
    return SeidContainer.render(
        Nodes.node(Nodes.full().withSidecar(new SidecarSpec(null, sidecarPort, null))),
        Nodes.DEFAULTS,
        new PodParts());
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
    return start(container, ProcessBuilder.Redirect.DISCARD);
  }

  private Process start(Container container, ProcessBuilder.Redirect output) throws IOException {
    var command = new ArrayList<>(container.getCommand());
    command.addAll(container.getArgs());
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(output);
    for (EnvVar variable : container.getEnv()) {
      builder
          .environment()
          .put(variable.getName(), variable.getValue().replace(Volumes.HOME, home.toString()));
    }
    builder.environment().put("HOME", home.toString());
    builder.environment().put("PATH", bin + ":" + System.getenv("PATH"));
    return builder.start();
  }

  private List<String> calls() throws IOException {
    return lines("calls");
  }

  private List<String> lines(String file) throws IOException {
    var path = home.resolve(file);
    return Files.exists(path) ? Files.readAllLines(path) : List.of();
  }

  private void command(String name, String script) throws IOException {
    var file = Files.writeString(bin.resolve(name), "#!/bin/bash\n" + script + "\n");
    Executable.make(file);
  }
}
