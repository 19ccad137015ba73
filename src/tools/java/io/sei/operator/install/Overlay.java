package io.sei.operator.install;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A kustomize overlay: what the chart makes with the overlay's values and not without them. Objects
 * that the base has already become patches.
 *
 * @param name its directory
 * @param below the overlays it is put on, for what these make is not made again
 */
record Overlay(String name, List<Overlay> below) {

  private static final Path ALL = Path.of("deploy", "kustomize", "overlays");
  private static final String COMMENT =
      "Generated from the chart with values.yaml by 'make manifests'; do not edit.";

  private static final Overlay MONITORING = new Overlay("monitoring", List.of());
  private static final Overlay PRODUCTION = new Overlay("production", List.of(MONITORING));

  /** All there are. */
  static List<Overlay> all() {
    return List.of(MONITORING, PRODUCTION);
  }

  Path directory() {
    return ALL.resolve(name);
  }

  /** Returns the texts of its files. */
  Map<Path, String> files() {
    Manifest base = HelmChart.render();
    Manifest changed = HelmChart.render(values()).without(base);
    Map<Path, String> files = new LinkedHashMap<>();
    put(files, "resources.yaml", changed.only(object -> !base.keys().contains(object.key())));
    put(files, "patches.yaml", changed.only(object -> base.keys().contains(object.key())));
    return files;
  }

  /** Renders the chart with its values and those of the overlays below it. */
  Manifest rendered() {
    List<Path> values = new ArrayList<>(below.stream().map(Overlay::values).toList());
    values.add(values());
    return HelmChart.render(values.toArray(Path[]::new));
  }

  private Path values() {
    return directory().resolve("values.yaml");
  }

  private void put(Map<Path, String> files, String name, Manifest manifest) {
    if (!manifest.isEmpty()) {
      files.put(directory().resolve(name), manifest.text(COMMENT));
    }
  }
}
