package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An image without tag and digest is accepted, and kubectl shows a warning that names the field.
 */
@RealControlPlane
class UntaggedImagesTest {

  private static final List<String> NAMED =
      List.of("sei:a", "registry:5000/sei:a", "ghcr.io/x/sei@sha256:" + "0".repeat(64));

  @TempDir Path directory;

  @Test
  void anUntaggedImageIsAcceptedWithAWarning(ControlPlane controlPlane, TestNamespace namespace)
      throws IOException {
    String named =
        NAMED.stream()
            .map(image -> node("{image: '%s'}".formatted(image), image))
            .collect(Collectors.joining());
    String untagged =
        node("{}", "ghcr.io/x/sei") + fleet("registry:5000/sei") + node("{image: seictl}", "sei:a");

    assertThat(create(controlPlane, namespace, named).stderr()).isEmpty();
    assertThat(create(controlPlane, namespace, untagged).stderr())
        .contains("Warning: ")
        .contains(
            "spec.image ghcr.io/x/sei has neither tag nor digest, so it is latest",
            "such as ghcr.io/x/sei:v6.8.0",
            "spec.template.spec.image registry:5000/sei has neither tag nor digest",
            "spec.sidecar.image seictl has neither tag nor digest");
  }

  private KubectlResult create(ControlPlane controlPlane, TestNamespace namespace, String objects)
      throws IOException {
    Path file = directory.resolve("objects.yaml");
    Files.writeString(file, objects);
    KubectlResult result =
        controlPlane.kubectl(
            "create", "--dry-run=server", "-n", namespace.name(), "-f", file.toString());
    assertThat(result.exitCode()).as("%s", result).isZero();
    return result;
  }

  private static String node(String sidecar, String image) {
    return """
    ---
    apiVersion: sei.io/v1alpha1
    kind: SeiNode
    metadata: {generateName: node-}
    spec: {chainId: pacific-1, image: '%s', fullNode: {}, sidecar: %s}
    """
        .formatted(image, sidecar);
  }

  private static String fleet(String image) {
    return """
    ---
    apiVersion: sei.io/v1alpha1
    kind: SeiNodeDeployment
    metadata: {name: fleet}
    spec:
      replicas: 1
      template: {spec: {chainId: pacific-1, image: '%s', fullNode: {}}}
    """
        .formatted(image);
  }
}
