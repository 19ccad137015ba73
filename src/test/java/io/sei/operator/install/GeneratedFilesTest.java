package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.GoldenLines;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Helm, kustomize and the one file install the same objects. */
@RealControlPlane
class GeneratedFilesTest {

  private static final String NAMESPACE = "Namespace  sei-operator";

  static Set<Map.Entry<Path, String>> files() {
    return GeneratedFiles.all().entrySet();
  }

  static List<Overlay> overlays() {
    return Overlay.all();
  }

  @ParameterizedTest
  @MethodSource("files")
  void committedFileIsUpToDate(Map.Entry<Path, String> file) {
    GoldenLines.compare(
        file.getKey(), file.getValue(), "run 'make manifests' and commit the result");
  }

  @Test
  void oneFileIsWhatKustomizeMakesOfTheBaseAndTheCrds(ControlPlane controlPlane) {
    Manifest oneFile =
        Manifest.read(InstallManifest.FILE)
            .only(document -> !document.key().startsWith("CustomResourceDefinition "));

    assertThat(oneFile.contents())
        .isEqualTo(kustomize(controlPlane, InstallManifest.BASE).contents());
  }

  @ParameterizedTest
  @MethodSource("overlays")
  void overlayIsWhatTheChartMakesWithItsValues(Overlay overlay, ControlPlane controlPlane) {
    Manifest built = kustomize(controlPlane, overlay.directory());

    assertThat(built.only(document -> !document.key().equals(NAMESPACE)).contents())
        .isEqualTo(overlay.rendered().contents());
    assertThat(built.keys()).contains(NAMESPACE);
  }

  @Test
  void namespaceServiceAccountAndDeploymentHaveOneName() {
    Set<String> keys =
        Stream.of("Namespace ", "ServiceAccount sei-operator", "Deployment sei-operator")
            .map(start -> start + " sei-operator")
            .collect(Collectors.toSet());

    assertThat(Manifest.read(InstallManifest.FILE).keys()).containsAll(keys);
  }

  private static Manifest kustomize(ControlPlane controlPlane, Path directory) {
    var built = controlPlane.kubectl("kustomize", directory.toString());
    assertThat(built.exitCode()).as(built.stderr()).isZero();
    return Manifest.parse(built.stdout());
  }
}
