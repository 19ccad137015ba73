package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.validation.SpecValidation;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.OperatorHarness;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@RealControlPlane
class SamplesTest {

  private static final Path SAMPLES = Path.of("manifests", "samples");

  static Stream<Path> samples() throws IOException {
    try (Stream<Path> files = Files.list(SAMPLES)) {
      return files.sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("samples")
  void isValid(Path file, KubernetesClient client, TestNamespace namespace) throws IOException {
    CrdFile.installAll(client);
    String text = Files.readString(file);
    var sample = Serialization.unmarshal(text, GenericKubernetesResource.class);
    if (sample.getKind().equals(SeiNode.KIND)) {
      SeiNode node = Serialization.unmarshal(text, SeiNode.class);
      assertThat(SpecValidation.validate(node.getMetadata().getName(), node.getSpec())).isEmpty();
    }

    var created = client.resource(sample).inNamespace(namespace.name()).create();

    // A field that the API server does not know would have been dropped in silence.
    assertThat((Object) created.get("spec")).isEqualTo(sample.get("spec"));
  }

  @Test
  void firstSampleRuns(ControlPlane controlPlane, TestNamespace namespace) throws IOException {
    String text = Files.readString(SAMPLES.resolve("seinode.yaml"));
    SeiNode sample = Serialization.unmarshal(text, SeiNode.class);
    try (KubernetesClient client =
            KubernetesClients.create(controlPlane.config(ControlPlane.ADMIN));
        SidecarSimulator sidecar = new SidecarSimulator();
        KubeletSimulator kubelet = new KubeletSimulator(client, sidecar);
        OperatorHarness operator =
            new OperatorHarness(
                controlPlane.config(ControlPlane.OPERATOR),
                namespace.name(),
                sidecar.urlTemplate())) {
      CrdFile.installAll(client);
      operator.start();
      var node = client.resource(sample).inNamespace(namespace.name());
      node.create();

      await()
          .atMost(Duration.ofSeconds(30))
          .pollInterval(Duration.ofMillis(50))
          .ignoreExceptions()
          .untilAsserted(
              () -> assertThat(node.get().getStatus().phase()).isEqualTo(NodePhase.RUNNING));
      assertThat(kubelet.history(namespace.name(), "atlantic-0")).hasSize(1);
    }
  }
}
