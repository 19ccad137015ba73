package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.marcnuri.helm.Helm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chart as a dependency of another one, by its own name and by an alias. */
class SubchartTest {

  private static final Path PARENT = Path.of("src", "test", "resources", "parent-chart");

  @TempDir Path directory;

  @BeforeEach
  void vendor() throws IOException {
    HelmChart.copy(PARENT, directory);
    HelmChart.copyTo(directory.resolve("charts").resolve("sei-operator"));
  }

  @Test
  void dependencyIsRenderedWithItsValuesAndGlobalOnes() throws IOException {
    Manifest rendered = render("{}");

    assertThat(rendered.keys())
        .contains("Deployment chains platform-sei-operator")
        .noneMatch(key -> key.contains("pacific"));
    assertThat(deployment(rendered)).contains("value: atlantic");
  }

  @Test
  void conditionLeavesEveryObjectOut() throws IOException {
    assertThat(render("sei-operator: {enabled: false}").keys())
        .containsExactly("ConfigMap chains platform");
  }

  @Test
  void aliasNamesTheObjects() throws IOException {
    Manifest rendered = render("{sei-operator: {enabled: false}, pacific: {enabled: true}}");

    assertThat(rendered.keys()).contains("Deployment chains platform-pacific");
    assertThat(deployment(rendered))
        .contains("app.kubernetes.io/name: pacific")
        .contains("image: \"registry.example/sei-operator:");
  }

  @Test
  void twoDependenciesShareNoObject() throws IOException {
    Manifest both = render("pacific: {enabled: true, crds: {create: false}}");

    assertThat(both.documents())
        .extracting(document -> document.key())
        .doesNotHaveDuplicates()
        .contains("Deployment chains platform-pacific", "Deployment chains platform-sei-operator");
  }

  @Test
  void mistakeInTheValuesOfADependencyIsRefused() {
    assertThatThrownBy(() -> render("sei-operator: {replica: 2}"))
        .hasMessageContaining("'replica' not allowed");
  }

  private Manifest render(String values) throws IOException {
    Path file = Files.writeString(directory.resolve("more.yaml"), values);
    return Manifest.parse(
        new Helm(directory)
            .template()
            .withKubeVersion("1.30")
            .withName("platform")
            .withNamespace("chains")
            .withValuesFile(file)
            .call());
  }

  private static String deployment(Manifest rendered) {
    return rendered
        .only(document -> document.key().startsWith("Deployment "))
        .documents()
        .getFirst()
        .text();
  }
}
