package io.sei.operator.diagnosis;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.render.PullJob;
import io.sei.operator.render.PullJobRenderer;
import io.sei.operator.render.PulledImage;
import io.sei.operator.testkit.samples.End;
import io.sei.operator.testkit.samples.NodeSample;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The script of an inspection, run by bash, and what is read of how it ends. */
class SeidInspectionTest {

  private static final PullJob PULL =
      new PullJob("1", "m1", List.of(PulledImage.ofUpgrade("sei:v9")));

  /** seid v6.5.2 prints 460 more lines of modules. */
  private static final String PRINTED =
      """
      name: sei
      server_name: <appd>
      version: v6.5.2
      commit: 6a2f2b2a5c7e
      build_tags: netgo ledger,
      go: go version go1.24.5 linux/amd64
      build_deps:
      - cosmossdk.io/api@v0.2.6
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "version: v6.5.2            | v6.5.2",
        "version: \"v6.8.0-rc2\"    | v6.8.0-rc2",
        "version: 2026-11-17+ab_c   | 2026-11-17+ab_c",
        "version: \"\"              | unknown",
        "version:                   | unknown",
      })
  void versionIsReadFromItsLine(String line, String version) {
    assertThat(of(0, "name: sei\n" + line + "\ncommit: 1"))
        .isEqualTo(new SeidInspection(version, null));
  }

  /** Reads the messages of containerd, runc, crun and bash. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "127 | /bin/bash: line 2: exec: seid: not found | it has no program seid in its PATH; use"
            + " an image of seid",
        "127 | /bin/bash: line 2: seid: command not found | it has no program seid in its PATH; use"
            + " an image of seid",
        "128 | failed to create task: exec: \"/bin/bash\": stat /bin/bash: no such file or"
            + " directory | it has no /bin/bash, by which a node's pod starts seid; use an image"
            + " that has it",
        "255 | exec /bin/bash: exec format error | it is built for another architecture than its"
            + " Kubernetes node has; build it for that one",
        "0   | timeout | seid version does not end; use an image of a released seid",
        "0   | | seid version prints nothing; use an image of a released seid",
        "0   | version: v1; rm -rf / | seid version prints no version; it prints: version: v1; rm"
            + " -rf /",
        "0   | xversion: v1 | seid version prints no version; it prints: xversion: v1",
      })
  void imageThatIsNoSeidHasAProblemByName(int exitCode, String said, String problem) {
    assertThat(of(exitCode, said)).isEqualTo(new SeidInspection(null, problem));
  }

  @Test
  void wordsOfAnImageAreBoundedAndPrintable() {
    String problem = of(0, "\u001b[31mred\u202e" + "x".repeat(12_000)).problem();

    assertThat(problem).hasSizeLessThan(300).doesNotContain("\u001b", "\u202e");
  }

  @Test
  void scriptHandsOnWhatSeidPrintsToItsErrorStreamFirst(@TempDir Path directory)
      throws IOException, InterruptedException {
    seid(
        directory,
        "printf '%s' '" + PRINTED + "' >&2; for i in {1..9999}; do echo - x@v$i >&2; done");

    String said = run(directory);

    assertThat(said).startsWith(PRINTED).hasSizeLessThanOrEqualTo(1024);
    assertThat(of(0, said).version()).isEqualTo("v6.5.2");
  }

  @Test
  void scriptEndsWithASeidThatPrintsTenMegabytes(@TempDir Path directory)
      throws IOException, InterruptedException {
    seid(directory, "for i in {1..10000}; do printf 'x%.0s' {1..1024}; done");

    assertThat(run(directory)).hasSize(1024);
  }

  @Test
  void scriptEndsWithASeidThatHangs(@TempDir Path directory)
      throws IOException, InterruptedException {
    seid(directory, "exec sleep 1000");

    assertThat(of(0, run(directory)).problem()).isEqualTo(SeidInspection.HANGS.problem());
  }

  @Test
  void scriptNamesAMissingSeid(@TempDir Path directory) throws IOException, InterruptedException {
    assertThat(of(0, run(directory)).problem()).contains("no program seid");
  }

  private static SeidInspection of(int exitCode, String said) {
    Pod pod =
        aPod("puller")
            .status("pull", pull -> pull.imageId("sei@sha256:1").ended(End.exit(exitCode, said)))
            .build();
    return ((PullReport.Pulled) PullReport.of(PULL, pod)).inspection().orElseThrow();
  }

  private static void seid(Path directory, String script) throws IOException {
    Path file = Files.writeString(directory.resolve("seid"), "#!/bin/bash\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Runs the script with only these programs, and returns the termination message. */
  private static String run(Path directory) throws IOException, InterruptedException {
    Container container =
        new PullJobRenderer()
            .render(
                NodeSample.aNode("sei:a").build(), PULL, aPod(NodeSample.aNode("sei:a")).build())
            .getSpec()
            .getTemplate()
            .getSpec()
            .getContainers()
            .getFirst();
    Path message = directory.resolve("message");
    String script =
        container
            .getCommand()
            .get(2)
            .replace("/dev/termination-log", message.toString())
            .replace("-t 30", "-t 1");
    var bash = new ProcessBuilder("/bin/bash", "-c", script);
    bash.environment().clear();
    bash.environment().put("PATH", directory + ":/usr/bin");
    bash.redirectErrorStream(true).redirectOutput(new File("/dev/null"));
    assertThat(bash.start().waitFor()).as("a failed pod would be a Warning").isZero();
    return Files.readString(message, UTF_8);
  }
}
