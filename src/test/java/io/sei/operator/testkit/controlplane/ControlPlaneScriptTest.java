package io.sei.operator.testkit.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControlPlaneScriptTest {

  private static final List<String> NAMES =
      List.of("etcd", "kube-apiserver", "kube-controller-manager", "kubectl");

  @TempDir Path temp;

  private final Map<String, String> environment = new HashMap<>();
  private ReleaseServer releases;
  private Path directory;

  private record Run(int exitCode, String stdout, String stderr) {}

  @BeforeEach
  void prepare() throws IOException {
    releases = new ReleaseServer(Files.createDirectory(temp.resolve("releases")));
    directory = temp.resolve("bin");
    environment.put("XDG_CACHE_HOME", temp.resolve("cache").toString());
    environment.put("SEI_KUBERNETES_RELEASES", releases.url());
    environment.put("SEI_ETCD_RELEASES", releases.url());
    // No build in a unit test: for the script this machine is no Debian.
    environment.put(
        "SEI_OS_RELEASE",
        Files.writeString(temp.resolve("os-release"), "VERSION_CODENAME=other\n").toString());
  }

  @AfterEach
  void closeReleases() {
    releases.close();
  }

  @Test
  void usesKubebuilderAssets() throws Exception {
    environment.put("KUBEBUILDER_ASSETS", fakeBinaries("assets", NAMES).toString());

    assertThat(run()).satisfies(this::succeededQuietly);

    assertThatDirectoryHolds("assets");
    assertThat(releases.requests()).isEmpty();
  }

  @Test
  void takesKubectlFromThePathWhenTheAssetsHaveNone() throws Exception {
    Path tools = fakeBinaries("tools", List.of("kubectl"));
    environment.put("KUBEBUILDER_ASSETS", fakeBinaries("assets", NAMES.subList(0, 3)).toString());
    environment.put("PATH", tools + ":" + System.getenv("PATH"));

    assertThat(run()).satisfies(this::succeededQuietly);

    assertThat(directory.resolve("kubectl").toRealPath())
        .isEqualTo(tools.resolve("kubectl").toRealPath());
  }

  @ParameterizedTest
  @ValueSource(strings = {"etcd", "kube-apiserver", "kube-controller-manager"})
  void namesTheBinaryTheAssetsLack(String missing) throws Exception {
    List<String> others = new ArrayList<>(NAMES);
    others.remove(missing);
    environment.put("KUBEBUILDER_ASSETS", fakeBinaries("assets", others).toString());

    Run run = run();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.stderr())
        .contains("KUBEBUILDER_ASSETS has no executable " + missing)
        .contains("or unset KUBEBUILDER_ASSETS");
    assertThat(releases.requests()).isEmpty();
  }

  @Test
  void downloadsVerifiesAndThenNeedsNoNetwork() throws Exception {
    assertThat(run()).satisfies(this::succeededQuietly);
    assertThatDirectoryRuns();
    assertThat(releases.requests()).anyMatch(path -> path.endsWith("/kube-apiserver.sha256"));

    int asked = releases.requests().size();
    assertThat(run()).satisfies(this::succeededQuietly);
    assertThat(releases.requests()).hasSize(asked);
  }

  @Test
  void concurrentRunsDownloadOnce() throws Exception {
    Process first = start("first");
    Process second = start("second");

    assertThat(first.waitFor()).isZero();
    assertThat(second.waitFor()).isZero();
    assertThat(releases.requests()).filteredOn(path -> path.endsWith("/kubectl")).hasSize(1);
    assertThatDirectoryRuns();
  }

  @Test
  void prefersUpstreamBinariesToADebianBuild() throws Exception {
    assertThat(run()).satisfies(this::succeededQuietly);
    fakeBinaries(debianCache(), NAMES);

    assertThat(run()).satisfies(this::succeededQuietly);

    assertThat(directory.resolve("etcd").toRealPath().toString()).doesNotContain("v1.20.2");
  }

  @Test
  void usesADebianBuildWithoutNetwork() throws Exception {
    fakeBinaries(debianCache(), NAMES);

    assertThat(run()).satisfies(this::succeededQuietly);

    assertThatDirectoryHolds(debianCache());
    assertThat(releases.requests()).isEmpty();
  }

  @Test
  void doesNotTakeAnIncompleteCacheForAWholeOne() throws Exception {
    fakeBinaries(debianCache(), NAMES.subList(0, 3));
    environment.put("SEI_ETCD_RELEASES", "http://127.0.0.1:" + closedPort());

    assertThat(run()).satisfies(ControlPlaneScriptTest::saysWhatToSet);
  }

  @ParameterizedTest
  @ValueSource(strings = {"etcd.tar.gz", "kube-apiserver", "kube-controller-manager", "kubectl"})
  void refusesAFileThatIsNotWhatItsPublisherSays(String file) throws Exception {
    releases.replace(file, "#!/bin/sh\necho not what was published\n");

    Run run = run();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.stderr()).contains("checksum mismatch").contains("The file was not used");
    try (var left = Files.walk(temp.resolve("cache"))) {
      assertThat(left.filter(path -> NAMES.contains(path.getFileName().toString()))).isEmpty();
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void doesNotTakeAWebPageForAChecksum() throws Exception {
    releases.replace("kubectl.sha256", "<html>Please sign in</html>");

    assertThat(run()).satisfies(ControlPlaneScriptTest::saysWhatToSet);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SHA256SUMS", "etcd.tar.gz", "kube-apiserver.sha256", "kubectl"})
  void fallsThroughWhenAMirrorLacksAFile(String file) throws Exception {
    releases.remove(file);

    assertThat(run()).satisfies(ControlPlaneScriptTest::saysWhatToSet);
  }

  @Test
  void fallsThroughWhenTheNetworkRefuses() throws Exception {
    String refusing = "http://127.0.0.1:" + closedPort();
    environment.put("SEI_KUBERNETES_RELEASES", refusing);
    environment.put("SEI_ETCD_RELEASES", refusing);

    assertThat(run()).satisfies(ControlPlaneScriptTest::saysWhatToSet);
  }

  @Test
  void fallsThroughWhenTheNetworkNeverAnswers() throws Exception {
    // The kernel completes the handshake of a socket that nobody accepts from.
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + silent.getLocalPort();
      environment.put("SEI_KUBERNETES_RELEASES", url);
      environment.put("SEI_ETCD_RELEASES", url);

      assertThat(run()).satisfies(ControlPlaneScriptTest::saysWhatToSet);
    }
  }

  private void succeededQuietly(Run run) {
    assertThat(run.exitCode()).as(run.stderr()).isZero();
    assertThat(run.stdout()).isEmpty();
  }

  private static void saysWhatToSet(Run run) {
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.stdout()).isEmpty();
    assertThat(run.stderr()).contains("Set KUBEBUILDER_ASSETS to a directory with");
  }

  private void assertThatDirectoryHolds(String source) throws IOException {
    for (String name : NAMES) {
      assertThat(directory.resolve(name).toRealPath())
          .isEqualTo(temp.resolve(source).resolve(name).toRealPath());
    }
  }

  private void assertThatDirectoryRuns() throws Exception {
    for (String name : NAMES) {
      Process process = new ProcessBuilder(directory.resolve(name).toString()).start();
      assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .isEqualTo("fake " + name + "\n");
    }
  }

  private static String debianCache() {
    String architecture = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
    return "cache/sei-operator/control-plane/v1.20.2-linux-" + architecture;
  }

  private Path fakeBinaries(String name, List<String> names) throws IOException {
    Path target = Files.createDirectories(temp.resolve(name));
    for (String binary : names) {
      Path file = Files.write(target.resolve(binary), ReleaseServer.script(binary));
      assertThat(file.toFile().setExecutable(true)).isTrue();
    }
    return target;
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Run run() throws Exception {
    Process process = start("run");
    int exitCode = process.waitFor();
    return new Run(
        exitCode,
        Files.readString(temp.resolve("run.out")),
        Files.readString(temp.resolve("run.err")));
  }

  private Process start(String label) throws IOException {
    Path script = ControlPlaneBinaries.projectDirectory().resolve("hack/control-plane.sh");
    ProcessBuilder builder =
        new ProcessBuilder(script.toString(), directory.toString())
            .redirectOutput(temp.resolve(label + ".out").toFile())
            .redirectError(temp.resolve(label + ".err").toFile());
    builder.environment().remove("KUBEBUILDER_ASSETS");
    builder.environment().keySet().removeIf(key -> key.toLowerCase(Locale.ROOT).endsWith("_proxy"));
    builder.environment().putAll(environment);
    return builder.start();
  }
}
