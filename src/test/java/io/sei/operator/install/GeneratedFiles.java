package io.sei.operator.install;

import io.sei.operator.api.CrdFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What is made from the chart, and what of the chart is made from elsewhere. */
public final class GeneratedFiles {

  private GeneratedFiles() {}

  /** Writes all of them. */
  public static void main(String[] arguments) throws IOException {
    // The schema first, because Helm renders nothing that its schema refuses.
    Files.writeString(ChartSchema.FILE, ChartSchema.text());
    for (Map.Entry<Path, String> file : all().entrySet()) {
      Files.writeString(file.getKey(), file.getValue());
    }
  }

  /** What each file must contain. */
  static Map<Path, String> all() {
    Map<Path, String> files = new LinkedHashMap<>();
    files.put(ChartSchema.FILE, ChartSchema.text());
    for (CrdFile crd : CrdFile.all()) {
      files.put(HelmChart.DIRECTORY.resolve(crd.path()), crd.text());
    }
    files.put(InstallManifest.OPERATOR, InstallManifest.operator());
    Overlay.all().forEach(overlay -> files.putAll(overlay.files()));
    files.put(InstallManifest.FILE, InstallManifest.text());
    return files;
  }
}
