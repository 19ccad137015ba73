package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.diagnosis.PullReport;
import io.sei.operator.render.GatedFile;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.render.PullJob;
import io.sei.operator.render.PullJobRenderer;
import io.sei.operator.render.PulledImage;
import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.LocalVolumes;
import io.sei.operator.testkit.machine.Manifests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A real kubelet mounts single files of a claim that is read-only in the pod, and nothing else of
 * the volume, of other volumes, or of the machine.
 */
@Tag("long")
@Execution(ExecutionMode.CONCURRENT)
class ConfigurationGateOnMachineTest extends MachineTestCase {

  private static final String CLAIM = "data-" + NODE;
  private static final List<String> KEYS = List.of("evm.old", "evm.new");

  /** Tries to read what the pod has of the volume, the machine and the API, and to write. */
  private static final String TRY_EVERYTHING =
      """
      while read -r _ _ _ _ point _; do echo "mount $point"; done </proc/self/mountinfo
      cd /gate && for name in *; do echo "file $name"; done
      for path in /.sei/config/priv_validator_key.json /.sei/config/node_key.json \
          /gate/../.sei/data/priv_validator_state.json /gate/priv_validator_key.json \
          /var/run/secrets/kubernetes.io/serviceaccount/token /var/lib/kubelet/config.yaml \
          /proc/1/root/.sei/config/node_key.json; do
        if read -r line <"$path"; then echo "read $path"; fi
      done
      for path in /gate/there.toml /gate/new.toml /new; do
        if echo x >"$path"; then echo "wrote $path"; fi
      done
      echo end
      """;

  private static final String OF_ONE_POD =
      """
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata: {name: mine, labels: {sei.io/node: %s}}
      spec: {accessModes: [ReadWriteOncePod], resources: {requests: {storage: 3Ti}}}
      ---
      """
          .formatted(NODE);

  private static final String IMPORT = "  dataVolume: {import: {pvcName: mine}}\n";

  private static final String ON_HOST_PATH =
      "  dataVolume: {storage: {storageClassName: %s}}\n".formatted(LocalVolumes.HOST_PATH);

  /** seid stands still meanwhile, so that nothing else writes to the volume. */
  @Test
  void filesAreReadLinksOutOfTheVolumeAreNotAndTheVolumeStaysByteForByte() throws IOException {
    createNode(Chain.V1.image());
    awaitReady();
    Path volume = machine.volume(namespace, CLAIM);
    Path config = volume.resolve("config");
    Path other = Files.createDirectory(volume.resolveSibling("other-" + namespace));
    Files.writeString(other.resolve("secret.toml"), "[evm]\nold = 1\n");
    Files.writeString(config.resolve("there.toml"), "[evm]\nold = 1\n");
    Files.delete(config.resolve("client.toml"));
    link(config, "out.toml", "/etc/shadow");
    link(config, "other.toml", "../../" + other.getFileName() + "/secret.toml");
    link(config, "dangling.toml", "../../" + other.getFileName() + "/missing.toml");
    List<String> names =
        List.of("there.toml", "client.toml", "out.toml", "other.toml", "dangling.toml");
    signal("STOP", "seid");
    Map<String, String> before = contents(volume);
    Map<String, String> beforeOfOther = contents(other);
    PullJob pull = gate(names);

    create(job(pull));

    eventually(
        () ->
            assertThat(pods())
                .extracting(pod -> PullReport.of(pull, pod))
                .containsExactly(
                    new PullReport.LookedInto(
                        Map.of(
                            "there.toml", Optional.of(GatedFile.FOUND + "10"),
                            "client.toml", Optional.empty(),
                            "out.toml", Optional.empty(),
                            "other.toml", Optional.empty(),
                            "dangling.toml", Optional.empty()))));
    assertThat(contents(volume)).as("names, owners, modes, times, bytes").isEqualTo(before);
    assertThat(contents(other)).isEqualTo(beforeOfOther);
    signal("CONT", "seid");
    awaitReady();
    assertThat(restarts()).as("of the node's seid").isZero();
  }

  @Test
  void podOfTheJobHasItsFileAndNoKeyTokenOrOtherMachine() {
    createNode(Chain.V1.image());
    awaitReady();
    kubectl(
        "exec",
        POD,
        "-c",
        Names.SEID,
        "--",
        "cp",
        "/.sei/config/app.toml",
        "/.sei/config/there.toml");
    Job job =
        new JobBuilder(job(gate(List.of("there.toml"))))
            .editSpec()
            .editTemplate()
            .editSpec()
            .editFirstContainer()
            .withCommand("/bin/bash", "-c", TRY_EVERYTHING)
            .endContainer()
            .endSpec()
            .endTemplate()
            .endSpec()
            .build();

    create(job);

    String name = "job/" + job.getMetadata().getName();
    eventually(() -> assertThat(kubectl("logs", name)).endsWith("end\n"));
    List<String> said =
        kubectl("logs", name)
            .lines()
            .filter(line -> !line.startsWith("/bin/bash: "))
            .filter(line -> !line.matches("mount /((proc|dev|sys)(/.*)?)?"))
            .toList();
    assertThat(said)
        .containsExactlyInAnyOrder(
            "mount /etc/hosts",
            "mount /etc/hostname",
            "mount /etc/resolv.conf",
            "mount /gate/there.toml",
            "file there.toml",
            "end");
    assertThat(pods())
        .singleElement()
        .satisfies(
            pod -> {
              assertThat(pod.getSpec().getNodeName())
                  .isEqualTo(field("pods", POD, "spec.nodeName"));
              assertThat(pod.getSpec().getVolumes())
                  .singleElement()
                  .satisfies(
                      data -> assertThat(data.getPersistentVolumeClaim().getReadOnly()).isTrue());
            });
  }

  /** Nothing mounts such a volume, so that nothing makes it read-only. */
  @Test
  void volumeOfTypeHostPathIsLeftAloneSinceAMissingFileWouldBecomeADirectoryOnIt()
      throws IOException {
    apply(Manifests.node(NODE, Chain.V7_0_0.image()) + ON_HOST_PATH);
    awaitReady();
    Path config = machine.volume(namespace, CLAIM).resolve("config");
    Files.delete(config.resolve("client.toml"));

    awaitUnchecked("is of type hostPath, which is writable in every pod");

    assertThat(config.resolve("client.toml")).doesNotExist();
    create(job(gate(List.of("client.toml"))));
    eventually(() -> assertThat(config.resolve("client.toml")).isDirectory());
  }

  @Test
  void claimOfOnePodIsLeftAlone() {
    apply(OF_ONE_POD + Manifests.node(NODE, Chain.V7_0_0.image()) + IMPORT);
    awaitReady();

    awaitUnchecked("ReadWriteOncePod");

    assertThat(condition("UpgradesReady")).isEqualTo("True/Prepared");
  }

  private void awaitUnchecked(String reason) {
    patch(
        "{\"spec\":{\"upgrades\":[{\"name\":\"%s\",\"height\":%d,\"image\":\"%s\"}]}}"
            .formatted(Chain.UPGRADE, Chain.LATE_HEIGHT, Chain.V7_1_0.image()));
    String configuration = "status.upgrades[0].configuration.";
    eventually(() -> assertThat(status(configuration + "state")).isEqualTo("Unchecked"));
    assertThat(status(configuration + "message")).contains(reason);
  }

  private static void link(Path directory, String name, String target) throws IOException {
    Files.createSymbolicLink(directory.resolve(name), Path.of(target));
  }

  private PullJob gate(List<String> files) {
    return new PullJob(
        "test",
        field("pods", POD, "spec.nodeName"),
        List.of(PulledImage.ofContainer(Names.SEID, Chain.V1.image())),
        files.stream().map(name -> new GatedFile(name, KEYS)).toList());
  }

  private Job job(PullJob pull) {
    SeiNode node =
        machine.client().resources(SeiNode.class).inNamespace(namespace).withName(NODE).get();
    Pod running = machine.client().pods().inNamespace(namespace).withName(POD).get();
    return new PullJobRenderer().render(node, pull, running);
  }

  private void create(Job job) {
    machine.client().resource(job).create();
  }

  private List<Pod> pods() {
    return machine
        .client()
        .pods()
        .inNamespace(namespace)
        .withLabel(Labels.IMAGE_PULL, NODE)
        .list()
        .getItems();
  }

  /** Returns by name the type, owner, mode, times and bytes of everything in a directory. */
  private static Map<String, String> contents(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      var contents = new TreeMap<String, String>();
      files.forEach(file -> contents.put(file.toString(), describe(file)));
      return contents;
    }
  }

  private static String describe(Path file) {
    try {
      Map<String, Object> attributes =
          Files.readAttributes(
              file,
              "unix:mode,uid,gid,size,nlink,ctime,lastModifiedTime",
              LinkOption.NOFOLLOW_LINKS);
      String bytes =
          Files.isSymbolicLink(file)
              ? Files.readSymbolicLink(file).toString()
              : Files.isRegularFile(file) ? sha256(file) : "";
      return new TreeMap<>(attributes) + " " + bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha256(Path file) throws IOException {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
