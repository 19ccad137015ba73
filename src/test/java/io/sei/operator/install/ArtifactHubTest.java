package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.sei.operator.api.CrdFile;
import io.sei.operator.config.ConfigKey;
import io.sei.operator.config.ConfigType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The annotations of Chart.yaml that Artifact Hub shows. */
class ArtifactHubTest {

  private static final YAMLMapper YAML = new YAMLMapper();

  private JsonNode chart;

  @BeforeEach
  void read() throws IOException {
    chart = YAML.readTree(HelmChart.DIRECTORY.resolve("Chart.yaml").toFile());
  }

  @Test
  void crdsAreThoseOfTheProject() throws IOException {
    JsonNode crds = annotation("crds");

    assertThat(crds.findValuesAsText("name"))
        .containsExactlyElementsOf(CrdFile.all().stream().map(CrdFile::name).toList());
    assertThat(crds.findValuesAsText("kind"))
        .containsExactlyElementsOf(models().map(HasMetadata::getKind).toList());
    assertThat(crds.findValuesAsText("version"))
        .containsExactlyElementsOf(models().map(HasMetadata::getVersion).toList());
  }

  private static Stream<Class<? extends CustomResource<?, ?>>> models() {
    return CrdFile.all().stream().map(CrdFile::model);
  }

  @Test
  void examplesAreSamples() throws IOException {
    for (JsonNode example : annotation("crdsExamples")) {
      try (Stream<Path> samples = Files.list(Path.of("manifests", "samples"))) {
        assertThat(samples.flatMap(sample -> Manifest.read(sample).contents().stream()))
            .contains(example);
      }
    }
  }

  @Test
  void imagesAreThoseOfTheReleaseAndOfItsSettings() throws IOException {
    String operator =
        HelmChart.render()
            .only(document -> document.key().startsWith("Deployment "))
            .documents()
            .getFirst()
            .content()
            .at("/spec/template/spec/containers/0/image")
            .asText();
    Stream<String> ofSettings =
        ConfigKey.all().stream()
            .filter(key -> key.type() == ConfigType.IMAGE && !key.defaultText().isEmpty())
            .map(ConfigKey::defaultText);

    assertThat(annotation("images").findValuesAsText("image"))
        .containsExactlyElementsOf(Stream.concat(Stream.of(operator), ofSettings).toList());
  }

  @Test
  void versionBeforeTheFirstMajorOneIsAPrerelease() {
    assertThat(text("prerelease"))
        .isEqualTo(String.valueOf(chart.get("version").asText().startsWith("0.")));
  }

  /** A release appends them to the annotations, so these have to come last. */
  @Test
  void changesAreTheEntriesOfTheChangelog() throws Exception {
    Path file = HelmChart.DIRECTORY.resolve("Chart.yaml");
    List<String> entries =
        Files.readAllLines(Path.of("CHANGELOG.md")).stream()
            .dropWhile(line -> !line.startsWith("## [Unreleased]"))
            .skip(1)
            .takeWhile(line -> !line.startsWith("## ["))
            .filter(line -> line.startsWith("- "))
            .toList();

    chart = YAML.readTree(Files.readString(file) + changes("Unreleased"));

    List<JsonNode> changes =
        StreamSupport.stream(annotation("changes").spliterator(), false).toList();
    assertThat(changes)
        .hasSameSizeAs(entries)
        .allMatch(
            change -> Set.of("added", "changed", "fixed").contains(change.get("kind").asText()))
        .noneMatch(change -> change.get("description").asText().contains("]("))
        .noneMatch(change -> change.get("description").asText().isBlank());
    assertThat(changes.getFirst().get("description").asText())
        .startsWith(entries.getFirst().substring(2, 20));
  }

  private static String changes(String version) throws Exception {
    Process script =
        new ProcessBuilder(Path.of("hack", "chart-changes.sh").toString(), version)
            .redirectErrorStream(true)
            .start();
    String output = new String(script.getInputStream().readAllBytes());
    assertThat(script.waitFor()).as(output).isZero();
    return output;
  }

  private JsonNode annotation(String name) throws IOException {
    return YAML.readTree(text(name));
  }

  private String text(String name) {
    return chart.get("annotations").path("artifacthub.io/" + name).asText();
  }
}
