package io.sei.operator.install;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.CrdFile;
import java.nio.file.Path;
import java.util.List;

/** {@code manifests/install.yaml}: the CRDs and the kustomize base in one file. */
final class InstallManifest {

  static final Path FILE = Path.of("manifests", "install.yaml");
  static final Path BASE = Path.of("deploy", "kustomize", "base");

  /** The part of the base that the chart renders. */
  static final Path OPERATOR = BASE.resolve("operator.yaml");

  private static final Path NAMESPACE = BASE.resolve("namespace.yaml");

  private InstallManifest() {}

  /** Returns the text that the file must have. */
  static String text() {
    Manifest all = new Manifest(List.of());
    for (CrdFile crd : CrdFile.all()) {
      all = all.and(Manifest.parse(crd.text()));
    }
    return all.and(Manifest.read(NAMESPACE))
        .and(HelmChart.render())
        .text(
            "Generated from crds/, deploy/kustomize/base and the chart by 'make manifests'; do not"
                + " edit.");
  }

  /** Returns the part of the base that comes from the chart. */
  static String operator() {
    return HelmChart.render()
        .text("Generated from the chart with its defaults by 'make manifests'; do not edit.");
  }

  /** The objects of the committed file, in its order. */
  static List<HasMetadata> objects() {
    return Manifest.read(FILE).documents().stream()
        .map(document -> (HasMetadata) Serialization.unmarshal(document.text()))
        .toList();
  }
}
