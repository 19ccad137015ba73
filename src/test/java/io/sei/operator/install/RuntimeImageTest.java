package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.bench.Training;
import io.sei.operator.testkit.OperatorJar;
import io.sei.operator.testkit.OperatorProcess;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import io.sei.operator.testkit.machine.Dockerfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Follows the Dockerfile as far as possible without a container engine. */
@RealControlPlane
class RuntimeImageTest {

  private static final Path DIRECTORY = Path.of("target", "runtime").toAbsolutePath();
  private static final Path DOCKERFILE = Path.of("Dockerfile");
  private static final double MEBIBYTE = 1 << 20;
  private static final String IN_THE_IMAGE = "/opt/sei-operator";

  @TempDir private Path stage;

  /** Runs the last step of the build in a directory that has only what the build copies. */
  private void build() throws Exception {
    String text = Files.readString(DOCKERFILE);
    for (Path copied :
        copied(text.substring(text.indexOf(" AS build"), text.lastIndexOf("FROM")))) {
      copy(copied, stage.resolve(copied));
    }
    var script =
        new ProcessBuilder(
                Path.of("hack", "runtime.sh").toString(),
                OperatorJar.FILE.toAbsolutePath().toString(),
                DIRECTORY.toString(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Training.class.getName())
            .directory(stage.toFile())
            .redirectErrorStream(true);
    script.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = script.start();
    String said = new String(process.getInputStream().readAllBytes());

    assertThat(process.waitFor()).as(said).isZero();
    assertThat(said).isEmpty();
  }

  @Tag("long")
  @Test
  void entrypointIsReadyAndTakesWhatItWasTrainedOnFromTheArchive(
      ControlPlane controlPlane, KubernetesClient client, TestNamespace namespace)
      throws Exception {
    build();
    Path loaded = DIRECTORY.resolve("loaded.txt");
    List<String> command = new ArrayList<>(entrypoint());
    command.add(1, "-Xlog:class+load:file=" + loaded);
    // The heap begins as small as in a container, and what is archived of it has to fit.
    command.add(2, "-XX:MaxRAM=256m");

    try (var operator =
        OperatorProcess.start(
            command,
            controlPlane.kubeconfigYaml(ControlPlane.OPERATOR),
            Map.of("SEI_WATCH_NAMESPACES", namespace.name(), "POD_NAMESPACE", namespace.name()))) {
      operator.awaitReady().awaitLeading();
      assertThat(operator.stderr()).isEmpty();
    }

    // A class that a start without an API server does not load.
    assertThat(Files.readAllLines(loaded))
        .anyMatch(line -> line.matches(".*\\.LeaderElector source: shared objects.*"));
  }

  /** An order is meant, and no limit: without these a server of TLS 1.2 would be unreachable. */
  @Test
  void everyAuthenticatedCipherOfTls13AndOfEcdheIsOffered() throws Exception {
    String property = "-Djdk.tls.client.cipherSuites=";
    List<String> offered =
        entrypoint().stream()
            .filter(argument -> argument.startsWith(property))
            .flatMap(argument -> Stream.of(argument.substring(property.length()).split(",")))
            .toList();

    assertThat(offered.getFirst()).isEqualTo("TLS_CHACHA20_POLY1305_SHA256");
    assertThat(offered)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(SSLContext.getDefault().getSupportedSSLParameters().getCipherSuites())
                .filter(suite -> suite.matches("TLS_(AES|CHACHA20|ECDHE)_.*(GCM|POLY1305)_SHA\\d+"))
                .toList());
  }

  /** Below some 312 MiB Java takes another percentage than above it. */
  @ParameterizedTest
  @ValueSource(ints = {256, 512, 1024})
  void heapIsFortyPercentOfAnyMemoryLimit(int limit) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(flags());
    command.addAll(List.of("-XX:MaxRAM=" + limit + "m", "-XX:+PrintFlagsFinal", "-version"));
    Process java =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String said = new String(java.getInputStream().readAllBytes());

    Matcher heap = Pattern.compile(" MaxHeapSize += (\\d+)").matcher(said);
    assertThat(heap.find()).as(said).isTrue();
    assertThat(Long.parseLong(heap.group(1)) / MEBIBYTE)
        .isCloseTo(limit * 0.4, withinPercentage(5));
  }

  @Test
  void filesThatTheBuildCopiesAreNotIgnored() throws IOException {
    List<String> ignored = Files.readAllLines(Path.of(".dockerignore"));

    assertThat(copied(Files.readString(DOCKERFILE)))
        .isNotEmpty()
        .allSatisfy(
            file -> {
              assertThat(file).exists();
              assertThat(ignored).contains("!" + file.getName(0));
            });
  }

  /** Returns what stages of a Dockerfile copy of this directory. */
  private static List<Path> copied(String stages) {
    return Pattern.compile("(?m)^COPY (?!--from)(.+) \\S+$")
        .matcher(stages)
        .results()
        .flatMap(copy -> Stream.of(copy.group(1).split(" ")))
        .map(Path::of)
        .toList();
  }

  /** No links, through which a script would find what is beside their targets. */
  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path copy = to.resolve(from.relativize(file));
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  /** Returns the flags of Java. */
  private static List<String> flags() {
    return entrypoint().stream()
        .filter(argument -> argument.startsWith("-X"))
        .filter(argument -> !argument.contains("SharedArchiveFile"))
        .toList();
  }

  /** The command of the image, with this machine's place for what is in the image. */
  private static List<String> entrypoint() {
    return Dockerfile.read(DOCKERFILE).entrypoint().stream()
        .map(argument -> argument.replace(IN_THE_IMAGE, DIRECTORY.toString()))
        .toList();
  }
}
