package io.sei.operator.testkit.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sei.operator.testkit.Executable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code hack/control-plane.sh} with a go that builds programs of one line, and tells what of. */
class ControlPlaneScriptTest {

  private static final List<String> NAMES =
      List.of("etcd", "kube-apiserver", "kube-controller-manager", "kubectl");

  private static final String GO =
      """
      #!/bin/sh
      case $1 in
        env) echo "${FAKE_GO_VERSION:-go1.26.8}" ;;
        version) echo "go version ${FAKE_GO_VERSION:-go1.26.8} linux/amd64" ;;
        mod) echo "no such host" >&2; exit 1 ;;
        list) [ -z "$FAKE_NO_NETWORK" ] || { echo "dial tcp: no such host" >&2; exit 1; } ; echo a ;;
        build)
          while [ "$1" != -o ]; do shift; done
          out=$2; mkdir -p "$out"
          shift 2
          for package in "$@"; do
            echo "$package" >>"$FAKE_LOG"
            if [ "${package##*/}" = "$FAKE_HANGS" ]; then touch "$FAKE_LOG.hangs"; exec sleep 600; fi
            if [ "${package##*/}" = "$FAKE_BREAKS" ]; then echo "no space left on device" >&2; exit 1; fi
            printf '#!/bin/sh\\necho built\\n' >"$out/${package##*/}"
            chmod +x "$out/${package##*/}"
          done ;;
      esac
      """;

  @TempDir Path temp;

  private final Map<String, String> environment = new HashMap<>();
  private Path directory;
  private Path log;

  private record Run(int exitCode, String stdout, String stderr) {}

  @BeforeEach
  void prepare() throws IOException {
    directory = temp.resolve("bin");
    log = temp.resolve("built");
    executable(Files.createDirectory(temp.resolve("tools")).resolve("go"), GO);
    environment.put("XDG_CACHE_HOME", temp.resolve("cache").toString());
    environment.put("PATH", temp.resolve("tools") + ":" + System.getenv("PATH"));
    environment.put("FAKE_LOG", log.toString());
  }

  @Test
  void usesKubebuilderAssets() throws Exception {
    environment.put("KUBEBUILDER_ASSETS", fakeBinaries("assets", NAMES).toString());

    assertThat(run()).satisfies(this::succeededQuietly);

    for (String name : NAMES) {
      assertThat(directory.resolve(name).toRealPath())
          .isEqualTo(temp.resolve("assets").resolve(name).toRealPath());
    }
    assertThat(log).doesNotExist();
  }

  @Test
  void takesKubectlFromThePathWhenTheAssetsHaveNone() throws Exception {
    fakeBinaries("tools", List.of("kubectl"));
    environment.put("KUBEBUILDER_ASSETS", fakeBinaries("assets", NAMES.subList(0, 3)).toString());

    assertThat(run()).satisfies(this::succeededQuietly);

    assertThat(directory.resolve("kubectl").toRealPath())
        .isEqualTo(temp.resolve("tools").resolve("kubectl").toRealPath());
  }

  @ParameterizedTest
  @ValueSource(strings = {"etcd", "kube-apiserver", "kube-controller-manager"})
  void namesTheBinaryTheAssetsLack(String missing) throws Exception {
    List<String> others = new ArrayList<>(NAMES);
    others.remove(missing);
    environment.put("KUBEBUILDER_ASSETS", fakeBinaries("assets", others).toString());

    assertThat(run())
        .satisfies(failed("KUBEBUILDER_ASSETS has no executable " + missing))
        .satisfies(failed("or unset KUBEBUILDER_ASSETS"));
  }

  @Test
  void buildsOncePerVersion() throws Exception {
    assertThat(run()).satisfies(this::succeededQuietly);
    assertThatEverythingRuns();
    List<String> built = Files.readAllLines(log);
    assertThat(built).hasSize(NAMES.size());

    assertThat(run()).satisfies(this::succeededQuietly);
    assertThat(Files.readAllLines(log)).isEqualTo(built);

    assertThat(run("1.30")).satisfies(this::succeededQuietly);
    assertThat(Files.readAllLines(log)).hasSize(2 * NAMES.size());
  }

  /** A module of another version is compiled twice. */
  @Test
  void etcdSharesTheModulesOfKubernetes() throws IOException {
    Map<String, String> kubernetes = modules("kubernetes-1.37");
    Map<String, String> etcd = modules("etcd");
    etcd.keySet().retainAll(kubernetes.keySet());

    assertThat(kubernetes).hasSizeGreaterThan(100).containsAllEntriesOf(etcd);
  }

  @Test
  void namesTheVersionsThereAre() throws Exception {
    assertThat(run("1.2"))
        .satisfies(failed("no such version: 1.2. There are kubernetes-1.30 kubernetes-1.37"));
  }

  @Test
  void concurrentRunsBuildOnce() throws Exception {
    Process first = start("first");
    Process second = start("second");

    assertThat(first.waitFor()).isZero();
    assertThat(second.waitFor()).isZero();
    assertThat(Files.readAllLines(log)).hasSize(NAMES.size());
    assertThatEverythingRuns();
  }

  @Test
  void whatAnInterruptedBuildLeftIsNotTakenForAWholeOne() throws Exception {
    environment.put("FAKE_HANGS", "kubectl");
    Process interrupted = start("interrupted");
    Path hangs = Path.of(log + ".hangs");
    await().until(() -> Files.exists(hangs) || !interrupted.isAlive());
    assertThat(hangs).as(Files.readString(temp.resolve("interrupted.err"))).exists();
    interrupted.descendants().forEach(ProcessHandle::destroy);
    interrupted.destroy();

    assertThat(interrupted.waitFor()).isEqualTo(1);
    assertThat(temp.resolve("interrupted.err")).content().contains("go-build: error: ");
    assertThat(directory).isEmptyDirectory();
    assertThat(built()).containsExactly("etcd");
    environment.remove("FAKE_HANGS");
    assertThat(run()).satisfies(this::succeededQuietly);
    assertThatEverythingRuns();
    assertThat(Files.readAllLines(log)).filteredOn(text -> text.endsWith("/etcd")).hasSize(1);
  }

  @Test
  void saysWhyTheCompilerGaveUp() throws Exception {
    environment.put("FAKE_BREAKS", "kube-apiserver");

    assertThat(run())
        .satisfies(failed("cannot build kubectl kube-apiserver kube-controller-manager"))
        .satisfies(failed("no space left on device"));
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void saysThatTheModuleRegistryIsNotReached() throws Exception {
    environment.put("FAKE_NO_NETWORK", "1");

    assertThat(run())
        .satisfies(
            failed("cannot get the modules of test/go/control-plane/etcd: dial tcp: no such host"))
        .satisfies(failed("Is the module registry reached"));
  }

  @Test
  void saysWhichGoIsNeededWhereAnOlderOneCannotGetIt() throws Exception {
    environment.put("FAKE_GO_VERSION", "go1.19.8");

    assertThat(run())
        .satisfies(failed("go1.19.8 is too old"))
        .satisfies(failed("Install Go 1.26 or newer"));
  }

  @Test
  void saysHowMuchRoomIsNeeded() throws Exception {
    executable(
        temp.resolve("tools").resolve("df"), "#!/bin/sh\necho; echo 'disk 9 9 1048576 9% /'\n");

    assertThat(run()).satisfies(failed("1 GB are free in")).satisfies(failed("a build needs 6"));
  }

  private static Map<String, String> modules(String directory) throws IOException {
    Path file = Path.of("src/test/go/control-plane", directory, "go.mod");
    return Files.readAllLines(ControlPlaneBinaries.projectDirectory().resolve(file)).stream()
        .map(line -> line.replace("require ", "").strip().split(" "))
        .filter(words -> words.length > 1 && words[1].matches("v[0-9].*"))
        .collect(Collectors.toMap(words -> words[0], words -> words[1]));
  }

  private void succeededQuietly(Run run) {
    assertThat(run.exitCode()).as(run.stderr()).isZero();
    assertThat(run.stdout()).isEmpty();
  }

  private static java.util.function.Consumer<Run> failed(String words) {
    return run -> {
      assertThat(run.exitCode()).as(run.stderr()).isEqualTo(1);
      assertThat(run.stdout()).isEmpty();
      assertThat(run.stderr()).contains(words);
    };
  }

  private void assertThatEverythingRuns() throws Exception {
    for (String name : NAMES) {
      assertThat(new ProcessBuilder(directory.resolve(name).toString()).start().waitFor()).isZero();
    }
  }

  /** The names of all programs in the cache. */
  private List<String> built() throws IOException {
    try (Stream<Path> files = Files.walk(temp.resolve("cache"))) {
      return files.map(file -> file.getFileName().toString()).filter(NAMES::contains).toList();
    }
  }

  private Path fakeBinaries(String name, List<String> names) throws IOException {
    Path target = Files.createDirectories(temp.resolve(name));
    for (String binary : names) {
      executable(target.resolve(binary), "#!/bin/sh\n");
    }
    return target;
  }

  private static void executable(Path file, String text) throws IOException {
    Executable.make(Files.writeString(file, text));
  }

  private Run run(String... version) throws Exception {
    int exitCode = start("run", version).waitFor();
    return new Run(
        exitCode,
        Files.readString(temp.resolve("run.out")),
        Files.readString(temp.resolve("run.err")));
  }

  private Process start(String label, String... version) throws IOException {
    Path script = ControlPlaneBinaries.projectDirectory().resolve("hack/control-plane.sh");
    List<String> command = new ArrayList<>(List.of(script.toString(), directory.toString()));
    command.addAll(List.of(version));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(temp.resolve(label + ".out").toFile())
            .redirectError(temp.resolve(label + ".err").toFile());
    builder.environment().remove("KUBEBUILDER_ASSETS");
    builder.environment().putAll(environment);
    return builder.start();
  }
}
