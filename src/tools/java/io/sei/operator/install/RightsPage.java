package io.sei.operator.install;

import static io.sei.operator.docs.Markdown.codes;

import io.sei.operator.docs.Markdown;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code docs/rights.md}: every right of the operator, and the reason that stands above its rule.
 */
final class RightsPage {

  static final Path FILE = Path.of("docs", "rights.md");

  private static final Path RULES = Path.of("deploy", "helm", "sei-operator", "files", "rbac");
  private static final List<String> ORDER =
      List.of(
          "namespaced",
          "all-namespaces",
          "update-pods",
          "create-keys",
          "sidecar-tokens",
          "sidecar-client",
          "takeover",
          "takeover-leases",
          "leader-election",
          "releases",
          "cluster",
          "signing-keys",
          "retain-volumes",
          "crds");
  private static final String HEAD =
      """
      <!-- Generated from deploy/helm/sei-operator/files/rbac by 'make manifests'; do not edit. -->
      # Rights of the operator

      In the namespaces that it manages, where a row does not say otherwise. A test on a real API
      server fails on a request that is refused as well as on a right that is never used. What they
      mean for you: [Security](security.md#what-the-operator-may-do).

      | Resource | Verbs | Why |
      |---|---|---|
      """;

  private RightsPage() {}

  /** A rule of a role, with the comment above it. */
  private record Rule(List<String> resources, List<String> names, String verbs, String why) {

    String row() {
      String named = names.isEmpty() ? "" : " named " + codes(names);
      return Markdown.row(codes(resources) + named, verbs, why);
    }
  }

  /** Returns the text of the page. */
  static String text() {
    return ORDER.stream()
        .flatMap(file -> rules(RULES.resolve(file + ".yaml")))
        .map(Rule::row)
        .collect(Collectors.joining("", HEAD, ""));
  }

  private static Stream<Rule> rules(Path file) {
    List<Rule> rules = new ArrayList<>();
    var why = new ArrayList<String>();
    List<String> resources = List.of();
    List<String> names = List.of();
    for (String line : Markdown.read(file).lines().toList()) {
      if (line.startsWith("# ")) {
        why.add(line.substring(2));
      } else if (line.startsWith("  resources: ")) {
        resources = listed(line);
      } else if (line.startsWith("  resourceNames: ")) {
        names = listed(line);
      } else if (line.startsWith("  verbs: ")) {
        rules.add(
            new Rule(resources, names, String.join(", ", listed(line)), String.join(" ", why)));
        why.clear();
        names = List.of();
      }
    }
    return rules.stream();
  }

  private static List<String> listed(String line) {
    String items = line.substring(line.indexOf('[') + 1, line.indexOf(']'));
    return Arrays.stream(items.split(",")).map(String::strip).toList();
  }
}
