package io.sei.operator.config;

import static io.sei.operator.docs.Markdown.cell;
import static io.sei.operator.docs.Markdown.code;

import io.sei.operator.docs.Markdown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** {@code docs/configuration.md}: every setting, as the code has it. */
public final class ConfigPage {

  static final Path FILE = Path.of("docs", "configuration.md");

  private static final String HEAD =
      """
      <!-- Generated from settings.txt by 'make docs'; do not edit. -->
      # Configuration

      The operator is configured by environment variables, and for some of them by
      [a file](#the-settings-file). Each has a default, so that it runs with none of them set; a variable
      that is set to nothing counts as unset. A value that is not allowed stops the start with one line
      that names the variable, the value and what it must be.

      In the chart, set a variable under `config`; the operator's pod is replaced:

      ```
      helm upgrade sei-operator deploy/helm/sei-operator --namespace sei-operator --reset-then-reuse-values \\
          --set config.SEI_LOG_LEVEL=debug
      ```

      These variables have values of their own in the chart, which also grant the rights or mount the file that they need:
      `SEI_WATCH_NAMESPACES`, `SEI_TAKEOVER_NAMESPACES`, `SEI_SHARD`, `SEI_LEADER_ELECTION`, `SEI_SIGNING_SCOPE`,
      `SEI_RETAIN_VOLUMES`, `SEI_RELEASES_CONFIG_MAP` and `SEI_CONTROLLER_CONFIG`.
      """;

  private static final String SETTINGS_FILE =
      """

      ## The settings file

      Go operators since 12 June 2026 read their settings from a YAML file that `SEI_CONTROLLER_CONFIG` names,
      in their installation `config.yaml` of the ConfigMap `sei-controller-config`. The operator reads the same
      file: the tables above have its keys.

      ```yaml
      scheduling:
        nodepoolName: sei-node
        serviceAccount: seid-node
      storage:
        classPerf: gp3-10k-750
        sizeDefault: 2000Gi
      images:
        sidecar: ghcr.io/sei-protocol/seictl:v0.0.50
      ```

      - **The file takes precedence** over variables, as in the Go operator. Where both set different values,
        the log names the variable. For a key that the file omits or leaves empty, the variable counts, and then
        the default. A Go operator since 13 June 2026 does not start without such a key.
      - Keys that are not in the tables are ignored, and the log names them. Some of them mean something to Go
        operators: `stateSync` (here a node's [peers](running-nodes.md#full-node) are its witnesses), and since July
        2026 `resources.ROLE`, `scheduling.nodepoolValidator`, `scheduling.nodepoolSeed` and `storage.sizeSeed`.
      - An invalid value ends the start with one line that names the file, the key, the value and what is
        allowed. So does a file that is missing or is not valid YAML.
      - The file is read once, at the start. After a change, restart the operator:
        `kubectl -n sei-operator rollout restart deployment/sei-operator`.

      In the chart, set `controllerConfig.configMap` to a ConfigMap in the namespace of the release. The chart
      mounts it and sets the variable.
      """;

  private ConfigPage() {}

  /** Writes the page. */
  public static void main(String[] arguments) throws IOException {
    Files.writeString(FILE, text());
  }

  /** Returns the text of the page. */
  static String text() {
    StringBuilder page = new StringBuilder(HEAD);
    for (String section : sections()) {
      page.append("\n## ").append(section).append("\n\n");
      page.append(
          "| Variable | Key in the file | Default | Must be | What it is |\n"
              + "|---|---|---|---|---|\n");
      page.append(
          ConfigKey.all().stream()
              .filter(key -> key.section().equals(section))
              .map(ConfigPage::row)
              .collect(Collectors.joining()));
    }
    return page.append(SETTINGS_FILE).toString();
  }

  private static List<String> sections() {
    return ConfigKey.all().stream().map(ConfigKey::section).distinct().toList();
  }

  private static String row(ConfigKey key) {
    String fallback = key.defaultText().isEmpty() ? "(empty)" : code(key.defaultText());
    String inFile = key.fileKey().isEmpty() ? "" : code(key.fileKey());
    return Markdown.row(code(key.name()), inFile, fallback, cell(key.allowed()), cell(key.doc()));
  }
}
