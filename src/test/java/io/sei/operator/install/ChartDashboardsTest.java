package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the links of the dashboards as the chart renders them. */
class ChartDashboardsTest {

  @Test
  void reasonsInDashboardsLeadToTheRunbooksWhereTheirAddressIsKnown(@TempDir Path directory)
      throws IOException {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"),
            """
            dashboards: {enabled: true}
            prometheusRule: {runbookUrl: https://wiki.example/runbooks}
            """);
    Path renderedWithout =
        Path.of("deploy", "kustomize", "overlays", "monitoring", "resources.yaml");

    assertThat(linksOfDashboards(HelmChart.template().withValuesFile(values).call()))
        .contains("https://wiki.example/runbooks/${__field.labels.reason}.md")
        .allMatch(url -> url.matches("/d/sei-.*|https://wiki\\.example/runbooks/[^/]+\\.md"));
    assertThat(linksOfDashboards(Files.readString(renderedWithout)))
        .isNotEmpty()
        .allMatch(url -> url.startsWith("/d/sei-"));
  }

  /** Returns the links of the dashboards as the chart renders them. */
  private static List<String> linksOfDashboards(String manifests) throws IOException {
    List<String> links = new ArrayList<>();
    for (JsonNode object : objects(manifests)) {
      for (JsonNode file : object.path("data")) {
        if (file.asText().startsWith("{")) {
          links.addAll(new ObjectMapper().readTree(file.asText()).findValuesAsText("url"));
        }
      }
    }
    return links;
  }

  private static List<JsonNode> objects(String manifests) throws IOException {
    try (var objects = new YAMLMapper().readerFor(JsonNode.class).<JsonNode>readValues(manifests)) {
      return objects.readAll();
    }
  }
}
