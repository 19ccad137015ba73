package io.sei.operator.install;

import static io.sei.operator.docs.Markdown.cell;
import static io.sei.operator.docs.Markdown.code;
import static io.sei.operator.docs.Markdown.read;

import io.sei.operator.docs.Markdown;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The chart's README: every value with its default and the comment above it in values.yaml. */
final class ChartReadme {

  static final Path FILE = HelmChart.DIRECTORY.resolve("README.md");

  private static final Path VALUES = HelmChart.DIRECTORY.resolve("values.yaml");
  private static final Pattern VALUE = Pattern.compile("( *)([A-Za-z]\\w*):(?: (.*))?");
  private static final String HEAD =
      """
      <!-- Generated from values.yaml by 'make manifests'; do not edit. -->
      # sei-operator

      Kubernetes operator for Sei blockchain nodes and fleets of them. Needs Kubernetes 1.30 or newer.

      ```
      helm install sei-operator CHART --namespace sei-operator --create-namespace \\
        --set image.repository=registry.example/sei-operator
      ```

      CHART is a checkout's `deploy/helm/sei-operator`, or the chart of a release, which comes as an OCI
      artifact; there is no release yet. The chart installs the CRDs, upgrades them with itself, and keeps them when it is
      uninstalled. [Install](../../../docs/install.md) says how to build the image, and which ServiceAccount nodes need.

      ## Values

      `values.schema.json` validates them: Helm refuses an unknown name, a wrong type, and a setting under
      `config` with which the operator would not start.

      | Value | Default | |
      |---|---|---|
      """;

  private ChartReadme() {}

  /** Returns the text of the file. */
  static String text() {
    return HEAD + String.join("", rows(read(VALUES).lines().toList()));
  }

  /** A value with nothing after its colon is a section: its comment is that of a row of its own. */
  private static List<String> rows(List<String> lines) {
    List<String> rows = new ArrayList<>();
    List<String> path = new ArrayList<>();
    List<String> comment = new ArrayList<>();
    for (String line : lines) {
      Matcher value = VALUE.matcher(line);
      if (line.strip().startsWith("#")) {
        comment.add(line.strip().substring(1).strip());
        continue;
      }
      if (value.matches()) {
        int depth = value.group(1).length() / 2;
        path.subList(depth, path.size()).clear();
        path.add(value.group(2));
        if (value.group(3) != null || !comment.isEmpty()) {
          rows.add(row(path, value.group(3), comment));
        }
      }
      comment.clear();
    }
    return rows;
  }

  private static String row(List<String> path, String preset, List<String> comment) {
    return Markdown.row(
        code(String.join(".", path)),
        preset == null ? "" : code(preset),
        cell(String.join(" ", comment)));
  }
}
