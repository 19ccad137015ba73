package io.sei.operator.install;

import io.sei.operator.api.CrdFile;
import io.sei.operator.docs.ReleasesPage;
import io.sei.operator.testkit.KubectlSei;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Files generated from the chart, and files of the chart that are generated. Among it, examples: so
 * every change of what is installed shows in the diff of a reviewed file.
 */
public final class GeneratedFiles {

  private static final Path EXAMPLES = Path.of("src", "test", "resources", "chart");

  private GeneratedFiles() {}

  /** Writes all of them. */
  public static void main(String[] arguments) throws IOException {
    // The schema first, because Helm renders nothing that its schema refuses.
    Files.writeString(ChartSchema.FILE, ChartSchema.text());
    // Before the plugin is built, which prints its page.
    Files.writeString(PluginFacts.FILE, PluginFacts.text());
    Files.writeString(PluginFacts.RUNBOOKS, PluginFacts.pages());
    for (Map.Entry<Path, String> file : all().entrySet()) {
      Files.writeString(file.getKey(), file.getValue());
    }
  }

  /** Returns the text of each file. */
  static Map<Path, String> all() {
    Map<Path, String> files = new LinkedHashMap<>();
    files.put(ChartSchema.FILE, ChartSchema.text());
    files.put(ChartReadme.FILE, ChartReadme.text());
    files.put(RightsPage.FILE, RightsPage.text());
    files.put(ReleasesPage.FILE, ReleasesPage.text());
    files.put(PluginFacts.FILE, PluginFacts.text());
    files.put(PluginFacts.RUNBOOKS, PluginFacts.pages());
    files.put(Path.of("docs", "kubectl-plugin.md"), KubectlSei.alone("page").stdout());
    for (CrdFile crd : CrdFile.all()) {
      files.put(HelmChart.DIRECTORY.resolve("files").resolve(crd.path()), crd.text());
    }
    files.put(InstallManifest.OPERATOR, InstallManifest.operator());
    Overlay.all().forEach(overlay -> files.putAll(overlay.files()));
    files.put(InstallManifest.FILE, InstallManifest.text());
    for (Path example : examples()) {
      files.put(
          example.resolve("rendered.yaml"),
          HelmChart.render(example.resolve("values.yaml"))
              .text("Generated from the chart with values.yaml by 'make manifests'; do not edit."));
    }
    return files;
  }

  private static List<Path> examples() {
    try (Stream<Path> examples = Files.list(EXAMPLES)) {
      return examples.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
