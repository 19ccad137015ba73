package io.sei.operator.render;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static io.sei.operator.testkit.samples.Samples.yaml;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pod that looks into files of a node's volume, and its script, run by bash. */
class GatedFileTest {

  private static final List<String> KEYS =
      List.of("pruning", "grpc", "grpc.enable", "evm.http_port", "evm.deny-list");

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pruning = 'nothing'                       | keys 10000",
        "[grpc];enable = true                      | keys 01100",
        "[grpc];  \"enable\"=true                  | keys 01100",
        "  [ evm ]  ;;  http_port = 8545           | keys 00010",
        "[evm];deny-list = [;  'a = b',;];[grpc]   | keys 01001",
        "# pruning = 1;[other];pruning = 1         | keys 00000",
        "x = \"grpc.enable = 1\";;                 | keys 00000",
        "''                                        | keys 00000",
      })
  void keysAreFoundInTheirSections(String file, String answer) throws Exception {
    assertThat(read(file.replace(';', '\n'))).isEqualTo(answer);
  }

  /** Values, names and expansions of a hostile file reach neither the message nor the shell. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[grpc$(touch PWNED)];enable = 1",
        "pruning$(touch PWNED) = 1",
        "a[$(touch PWNED)] = 1",
        "`touch PWNED` = \"`touch PWNED`\"",
        "[a]b];x = 1",
        "x = \"\\u001b]0;title\\u0007\"",
      })
  void hostileFileRunsNothingAndPrintsNothing(String file) throws Exception {
    String text = file.replace(';', '\n').replace("PWNED", directory.resolve("pwned").toString());

    assertThat(read(text)).matches("keys [01]{5}");
    assertThat(directory.resolve("pwned")).doesNotExist();
  }

  @Test
  void longLinesAndManyKeysAreReadInBoundedPieces() throws Exception {
    String file =
        "x = '" + "y".repeat(3_000_000) + "'\n" + "z = 1\n".repeat(200_000) + "pruning = 1";

    assertThat(read(file)).as("the last key is beyond what is read").isEqualTo("keys 00000");
  }

  @Test
  void directoryInThePlaceOfAFileIsNoFile() throws Exception {
    Files.createDirectory(directory.resolve("app.toml"));

    assertThat(run()).isEqualTo(GatedFile.NO_FILE);
  }

  @Test
  void keyThatCannotBeOneIsNotHandedToTheShell() {
    assertThat(new GatedFile("app.toml", List.of("a b", "$(x)", "evm.x", "")).keys())
        .containsExactly("evm.x");
  }

  @Test
  void podSeesThreeFilesOfTheVolumeAtMostAndWritesNone() {
    PodSpec pod = pod();

    assertThat(pod.getVolumes())
        .singleElement()
        .satisfies(
            volume -> {
              assertThat(volume.getPersistentVolumeClaim().getClaimName()).isEqualTo("data-node");
              assertThat(volume.getPersistentVolumeClaim().getReadOnly()).isTrue();
            });
    assertThat(pod.getAutomountServiceAccountToken()).isFalse();
    assertThat(pod.getContainers()).extracting(Container::getName).containsExactly("gate-app-toml");
    assertThat(pod.getContainers().getFirst().getVolumeMounts())
        .singleElement()
        .satisfies(
            mount -> {
              assertThat(mount.getSubPath()).isEqualTo("config/app.toml");
              assertThat(mount.getReadOnly()).isTrue();
            });
    assertThat(pod.getContainers().getFirst().getEnv()).isEmpty();
  }

  @Test
  void podIsWhereTheNodeRunsWithItsImageAndSeLinuxOptionsAndNoFsGroup() {
    PodSpec pod = pod();

    assertThat(pod.getNodeName()).isEqualTo("m1");
    assertThat(pod.getContainers().getFirst().getImage()).isEqualTo("sei:v6.7.4");
    assertThat(pod.getSecurityContext().getSeLinuxOptions().getLevel()).isEqualTo("s0:c1,c2");
    assertThat(pod.getSecurityContext().getFsGroup()).isNull();
  }

  @Test
  void volumeIsNotKeptOnItsMachineForLong() {
    assertThat(job().getSpec().getActiveDeadlineSeconds()).isEqualTo(120);
  }

  private PodSpec pod() {
    return job().getSpec().getTemplate().getSpec();
  }

  private Job job() {
    Pod running =
        aPod(yaml(
                Pod.class,
                """
                spec:
                  nodeName: m1
                  securityContext: {fsGroup: 65532, seLinuxOptions: {level: "s0:c1,c2"}}
                  volumes: [{name: data}]
                """))
            .build();
    var job =
        new PullJob(
            "files",
            "m1",
            List.of(PulledImage.ofContainer(Names.SEID, "sei:v6.7.4")),
            List.of(new GatedFile("app.toml", KEYS)));
    return new PullJobRenderer()
        .render(
            aNode("sei:v6.7.4").metadata(metadata -> metadata.withUid("uid")).build(),
            job,
            running);
  }

  private String read(String file) throws IOException, InterruptedException {
    Files.writeString(directory.resolve("app.toml"), file);
    return run();
  }

  private String run() throws IOException, InterruptedException {
    Path message = directory.resolve("message");
    List<String> command = new ArrayList<>(pod().getContainers().getFirst().getCommand());
    command.set(2, command.get(2).replace("/dev/termination-log", message.toString()));
    command.set(3, directory.resolve("app.toml").toString());
    var bash = new ProcessBuilder(command);
    bash.directory(directory.toFile());
    bash.redirectErrorStream(true).redirectOutput(new File("/dev/null"));
    assertThat(bash.start().waitFor()).isZero();
    return Files.readString(message, UTF_8);
  }
}
