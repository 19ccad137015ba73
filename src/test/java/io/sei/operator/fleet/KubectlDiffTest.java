package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.UpdatePolicy;
import io.sei.operator.api.v1alpha1.UpdatePolicy.OfConfig;
import io.sei.operator.api.v1alpha1.UpdatePolicy.OfPod;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares a file with the cluster by {@code kubectl sei diff} before it is applied. */
class KubectlDiffTest extends FleetTestCase {

  private static final String NODE = "single";

  @TempDir Path directory;

  @Test
  void saysWhatAFileWouldRestartAndChangesNothing() throws IOException {
    createReady(2);
    var sei = new KubectlSei(controlPlane, namespace);
    Path file = directory.resolve("fleet.yaml");
    SeiNodeDeployment wanted = fleet();
    wanted.setSpec(
        wanted
            .getSpec()
            .with(spec -> spec.replicas(10).template(spec.template().withSpec(spec(B)))));
    write(file, wanted, Samples.node(namespace, NODE, spec(A)));

    assertThat(differences(sei, file, 1))
        .containsExactly(
            "snd/fleet",
            "  replicas                           adds 8 nodes",
            "      2 > 10",
            "  template.spec.image                replaces each pod, node by node as in a rollout",
            "      " + A + " > " + B,
            "snode/single is new");
    assertThat(printed("explain", sei, file, 1))
        .containsExactly(
            "snd/fleet: adds 8 nodes; replaces each pod, node by node as in a rollout",
            "snode/single: creates it");

    client.resource(Samples.node(namespace, NODE, spec(A))).create();
    write(
        file,
        Samples.node(
            namespace,
            NODE,
            spec(B)
                .withUpdatePolicy(new UpdatePolicy(OfPod.IN_PLACE_IF_POSSIBLE, OfConfig.RESTART))
                .withOverrides(Map.of("evm.http_port", "8545"))
                .withPaused(true)));
    assertThat(differences(sei, file, 1))
        .containsExactly(
            "snode/single",
            "  image                              changes the running pod where that is possible,"
                + " and replaces it elsewhere",
            "      " + A + " > " + B,
            "  overrides                          restarts seid",
            "  paused                             stops the pod; volumes stay",
            "      unset > true",
            "  updatePolicy                       restarts nothing");
    assertThat(printed("explain", sei, file, 1))
        .containsExactly(
            "snode/single: changes the running pod where that is possible, and replaces it"
                + " elsewhere; restarts seid; stops the pod; volumes stay");

    write(file, Samples.node(namespace, NODE, spec(A)), fleet());
    assertThat(differences(sei, file, 0)).containsExactly("Nothing would change.");
    assertThat(printed("explain", sei, file, 0))
        .containsExactly("snode/single: changes nothing", "snd/fleet: changes nothing");
    write(file, Samples.node(namespace, NODE, spec("no image")));
    KubectlResult refused = sei.run("diff", "-f", file.toString());
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.stderr()).contains("spec.image");
  }

  /** The manifests as a user keeps them: without what the API server adds. */
  private static void write(Path file, HasMetadata... objects) throws IOException {
    var documents = new StringBuilder();
    for (HasMetadata object : objects) {
      String name = object.getMetadata().getName();
      object.setMetadata(new ObjectMetaBuilder().withName(name).build());
      documents.append("---\n").append(Serialization.asYaml(object));
    }
    Files.writeString(file, documents);
  }

  private List<String> differences(KubectlSei sei, Path file, int exitCode) {
    return printed("diff", sei, file, exitCode);
  }

  private List<String> printed(String command, KubectlSei sei, Path file, int exitCode) {
    KubectlResult result = sei.run(command, "-f", file.toString());
    assertThat(result.exitCode()).as("%s", result).isEqualTo(exitCode);
    return result.stdout().lines().toList();
  }
}
