package io.sei.operator.docs;

import static io.sei.operator.docs.Markdown.cell;
import static io.sei.operator.docs.Markdown.code;

import io.sei.operator.chain.Release;
import io.sei.operator.chain.ReleaseReader;
import io.sei.operator.chain.Releases;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code docs/releases.md}: what the operator knows of releases of seid. */
public final class ReleasesPage {

  /** The page. */
  public static final Path FILE = Path.of("docs", "releases.md");

  private static final String HEAD =
      """
      <!-- Generated from releases.yaml by 'make manifests'; do not edit. -->
      # Releases of seid

      This page lists what the operator knows of seid, from public pages and the source of seid. It asks a node's RPC which
      version runs, and reads the next one from the tag of an image. It knows nothing of a version that is neither here nor a
      later patch of one that is here, and treats it as it treats any other. No pod template depends on a version.

      *Plan* is the name of the upgrade at which the chain needs a release of that line, with the heights that are
      known. *gRPC* says whether the release serves port 9090, *Freezes* whether it can serve
      [`spec.fullNode.freeze`](crds.md#seinode), and *Sidecar* which sidecar it needs at least.

      | Release | Day | Plan | Heights of the plan | gRPC | Freezes | Sidecar |
      |---|---|---|---|---|---|---|
      """;

  private static final String EXTENSION =
      """

      ## Extend the list

      Write a ConfigMap with the key `releases.yaml` in the namespace of the operator. Its name is `sei-releases`, unless
      you set another in `releaseList.configMap` of the chart. An entry replaces that of the same `version` or `tag` as a
      whole, and others stay. The operator reads the ConfigMap at its start and every ten minutes.

      ```yaml
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: sei-releases
        namespace: sei-operator
      data:
        releases.yaml: |
          releases:
          - version: v6.9.0                     # a release, no candidate; required
            source: https://example.org/v6.9.0  # required
            released: 2026-12-15
            plan: v6.9                          # the upgrade that needs this release
            heights: {pacific-1: 260000000}
            ports:                              # Added or Removed
            - {number: 1317, name: REST, change: Removed, note: use the RPC}
            settings:                           # Added, Removed, Ignored, Required or Default
            - {in: app.toml, name: evm.new_key, change: Required, value: "true"}
            - {in: command line, name: --old-flag, change: Removed}
            minimumSidecar: v0.0.70
            migrations:
            - {name: New store, begins: at the first start, duration: 2 h, disk: 200Gi, note: there is no way back}
            freeze: What spec.fullNode.freeze needs.
            stateSync: What state sync needs.
            notes: [What else is worth knowing.]
          images:                               # * stands for any characters; nodes: All, Validators or None
          - {tag: v6.9.0, nodes: All, why: it was withdrawn, source: "https://example.org/v6.9.1"}
      ```

      The operator does not use a list with a mistake, and keeps the last good one. An Event of the ConfigMap names line and
      field, and the alert [SeiReleaseListInvalid](runbooks/SeiReleaseListInvalid.md) fires.
      """;

  private ReleasesPage() {}

  /** Returns the text of the page. */
  public static String text() {
    Releases list = ReleaseReader.builtIn();
    String rows =
        list.releases().stream().map(release -> row(list, release)).collect(Collectors.joining());
    String sections =
        list.releases().reversed().stream()
            .filter(release -> changes(release).findAny().isPresent())
            .map(ReleasesPage::section)
            .collect(Collectors.joining());
    return HEAD + rows + sections + images(list) + EXTENSION;
  }

  private static String row(Releases list, Release release) {
    boolean freezes =
        list.firstWithFreeze()
            .filter(first -> !release.version().isBefore(first.version()))
            .isPresent();
    return Markdown.row(
        "[%s](%s)".formatted(release.version(), release.source()),
        text(release.released()),
        release.plan() == null ? "" : code(release.plan()),
        heights(release.heights()),
        list.servedPorts(release.version()).contains(9090) ? "yes" : "no",
        freezes ? "yes" : "no",
        release.minimumSidecar() == null ? "any" : release.minimumSidecar());
  }

  private static String text(String optional) {
    return optional == null ? "" : optional;
  }

  private static String heights(Map<String, Long> heights) {
    return heights.entrySet().stream()
        .map(height -> height.getKey() + " " + height.getValue())
        .collect(Collectors.joining(", "));
  }

  private static String section(Release release) {
    return "\n## %s\n\n".formatted(release.version())
        + changes(release).map("- %s\n"::formatted).collect(Collectors.joining());
  }

  private static Stream<String> changes(Release release) {
    return Stream.of(
            release.ports().stream().map(port -> noted(port.describe(), port.note())),
            release.settings().stream().map(ReleasesPage::setting),
            release.migrations().stream().map(ReleasesPage::migration),
            Stream.ofNullable(release.freeze()).map("Freeze: %s"::formatted),
            Stream.ofNullable(release.stateSync()).map("State sync: %s"::formatted),
            release.notes().stream())
        .flatMap(changes -> changes);
  }

  private static String setting(Release.Setting setting) {
    String change =
        setting.describe().replaceFirst(Pattern.quote(setting.name()), code(setting.name()));
    return noted(change, setting.note());
  }

  private static String noted(String change, String note) {
    return note == null ? change : change + ": " + note;
  }

  private static String migration(Release.Migration migration) {
    return "%s, forward only%s%s%s: %s"
        .formatted(
            migration.name(),
            migration.begins() == null ? "" : "; begins when " + migration.begins(),
            migration.duration() == null
                ? "; its duration is not published"
                : "; takes " + migration.duration(),
            migration.disk() == null
                ? "; its disk is not published"
                : "; needs " + migration.disk() + " of disk",
            text(migration.note()));
  }

  private static String images(Releases list) {
    return """

    ## Images that must not run

    | Tag | On | Why |
    |---|---|---|
    """
        + list.images().stream()
            .map(
                image ->
                    Markdown.row(
                        code(image.tag()),
                        image.nodes() == Releases.Nodes.ALL ? "any node" : "validators",
                        "[%s](%s)".formatted(cell(image.why()), image.source())))
            .collect(Collectors.joining());
  }
}
