package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

@RealControlPlane
class InstallManifestTest {

  @Test
  void committedFileIsUpToDate() {
    assertThat(InstallManifest.FILE)
        .as("run 'make manifests' and commit the result")
        .hasContent(InstallManifest.text());
  }

  @Test
  void kustomizeMakesTheSameObjects(ControlPlane controlPlane) throws Exception {
    var built = controlPlane.kubectl("kustomize", InstallManifest.BASE.toString());

    assertThat(built.exitCode()).as(built.stderr()).isZero();
    assertThat(objects(Files.readString(InstallManifest.FILE)))
        .containsAll(objects(built.stdout()))
        .filteredOn(object -> !object.at("/kind").asText().equals("CustomResourceDefinition"))
        .hasSameSizeAs(objects(built.stdout()));
  }

  private static Set<JsonNode> objects(String yaml) {
    return Arrays.stream(yaml.split("(?m)^---\n"))
        .map(document -> Serialization.unmarshal(document, JsonNode.class))
        .filter(document -> document != null && document.has("kind"))
        .collect(Collectors.toSet());
  }
}
