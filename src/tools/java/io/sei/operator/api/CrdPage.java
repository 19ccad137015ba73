package io.sei.operator.api;

import static io.sei.operator.docs.Markdown.code;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionNames;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.Bounds;
import io.sei.operator.docs.Markdown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** {@code docs/crds.md}: every field and rule of the committed CRDs. */
public final class CrdPage {

  static final Path FILE = Path.of("docs", "crds.md");

  private static final String HEAD =
      """
      <!-- Generated from crds/ and the operator's code by 'make docs'; do not edit. -->
      # The API: `sei.io/v1alpha1`

      Every field of the four resources; `kubectl explain seinode.spec` shows them too. A field without "required", or
      with a default, may be left out. The API server refuses an object that breaks a rule. An object that was stored
      before a rule existed is kept. If breaking that rule could do harm, the condition `Stalled` reports the object
      ([InvalidSpec](runbooks/InvalidSpec.md)).

      Where nothing else is said, a list or a map of a spec has at most %d entries, a text %d characters, and a key of a
      map %d.

      **Default** is the value of an unset field. A field without a default is off, empty, or has no effect while it is
      unset.

      **A change** is what an edit of the field does to a node that runs:

      | A change | Meaning |
      |---|---|
      | replaces the pod | The node gets a new pod on the same volume. Of image, resources and sidecar, a node with [updates in place](updates-in-place.md) changes the running pod where that is possible. |
      | restarts seid | seid gets the new configuration and restarts in the same pod. With a sidecar older than v0.0.56, such as the default one, the pod is replaced instead. With `updatePolicy.config: OnNextStart` the change waits for the next start. |
      | stops or starts the node | The StatefulSet is scaled to 0 or to 1. |
      | changes the volume | The claim is changed, and seid runs on, unless the storage driver needs a restart ([Storage](storage.md)). |
      | is refused | The API server refuses it. |
      | restarts nothing | The operator uses the new value at once, or for the next pod. |
      | is rolled out | The fleet sets it on its nodes, where it does the same as on a SeiNode: what replaces pods within `maxUnavailable`, a configuration on [one node after the other](fleets.md#a-new-configuration), anything else on all nodes at once. |
      """
          .formatted(Bounds.Limits.SPEC.entries(), Bounds.Limits.SPEC.characters(), Bounds.MAX_KEY);

  private CrdPage() {}

  /** Writes the page. */
  public static void main(String[] arguments) throws IOException {
    Files.writeString(FILE, text());
  }

  /** Returns the text of the page. */
  static String text() {
    return HEAD + CrdFile.all().stream().map(CrdPage::kind).collect(Collectors.joining());
  }

  private static String kind(CrdFile crd) {
    CustomResourceDefinition definition =
        Serialization.unmarshal(Markdown.read(crd.path()), CustomResourceDefinition.class);
    CustomResourceDefinitionNames names = definition.getSpec().getNames();
    CustomResourceDefinitionVersion version = definition.getSpec().getVersions().get(0);
    JSONSchemaProps schema = version.getSchema().getOpenAPIV3Schema();
    String columns =
        version.getAdditionalPrinterColumns().stream()
            .map(
                column ->
                    column.getName()
                        + (column.getPriority() != null && column.getPriority() > 0
                            ? " (wide)"
                            : ""))
            .collect(Collectors.joining(", "));
    return "\n## %s\n\n`kubectl get %s`, or `%s`. Columns: %s.\n"
            .formatted(
                names.getKind(),
                names.getPlural(),
                String.join("`, `", names.getShortNames()),
                columns)
        + section("What you ask for", names.getKind(), "spec", schema)
        + section("What is observed", names.getKind(), "status", schema)
        + rules(CelRules.of(crd));
  }

  private static String section(String title, String kind, String field, JSONSchemaProps schema) {
    JSONSchemaProps part = schema.getProperties().get(field);
    if (part.getProperties().isEmpty()) {
      return "";
    }
    return "\n### %s: `%s`\n\n%s\n".formatted(title, field, part.getDescription())
        + new FieldTables(kind, schema, field).text();
  }

  private static String rules(CelRules rules) {
    Map<String, Set<String>> fields = new LinkedHashMap<>();
    rules.all().stream()
        .filter(rule -> !rule.path().startsWith("spec.template.spec"))
        .filter(rule -> !rule.message().equals(Bounds.KEY_MESSAGE))
        .forEach(
            rule ->
                fields
                    .computeIfAbsent(rule.message(), _ -> new LinkedHashSet<>())
                    .add(rule.path().isEmpty() ? "(the whole)" : code(rule.path())));
    return fields.entrySet().stream()
        .map(
            rule ->
                Markdown.row(
                    String.join(", ", rule.getValue()), FieldTables.cell(withCode(rule.getKey()))))
        .collect(Collectors.joining("", "\n### Rules\n\n| For | Rule |\n|---|---|\n", ""));
  }

  /** A pattern would be read as Markdown. */
  private static String withCode(String message) {
    return message.replaceFirst("^should match '(.*)'$", "should match `$1`");
  }
}
