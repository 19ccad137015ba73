package io.sei.operator.api;

import static io.sei.operator.docs.Markdown.code;
import static io.sei.operator.docs.Markdown.codes;
import static java.util.Map.entry;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code docs/crds.md}: every field and rule of the committed CRDs. */
public final class CrdPage {

  static final Path FILE = Path.of("docs", "crds.md");

  /** Fields whose parts are not listed, and what is said instead. */
  private static final Map<String, String> NOT_EXPANDED =
      Map.ofEntries(
          entry(
              "SeiNode.status.conditions",
              "Conditions as in all of Kubernetes; [Conditions](conditions.md) lists them."),
          entry("SeiNode.spec.resources", "As of any container."),
          entry("SeiNode.spec.sidecar.resources", "As of any container."),
          entry("SeiNode.spec.scheduling.affinity", "As of any pod."),
          entry("SeiNode.spec.scheduling.imagePullSecrets", "As of any pod."),
          entry("SeiNode.spec.scheduling.tolerations", "As of any pod."),
          entry("SeiNode.spec.scheduling.topologySpreadConstraints", "As of any pod."),
          entry("SeiNodeDeployment.spec.template.spec", "The same as the `spec` of a SeiNode."),
          entry("SeiNodeDeployment.status.conditions", "Conditions as in all of Kubernetes."),
          entry("SeiNodeDeployment.status.plan", "As of a SeiNode."),
          entry(
              "SeiNodeTask.status.conditions",
              "Conditions as in all of Kubernetes; [Tasks](tasks.md#what-a-task-says) lists"
                  + " them."));

  private static final String HEAD =
      """
      <!-- Generated from crds/ by 'make docs'; do not edit. -->
      # The API: `sei.io/v1alpha1`

      Every field of the four resources. A field without "required" may be left out. `kubectl explain
      seinode.spec` tells the same. The API server refuses what breaks a rule. Of an object that was
      stored before a rule, the operator says what is wrong in the condition Ready, reason
      InvalidSpec.

      Where nothing else is said, a list or a map of a spec has at most %d entries, a text %d
      characters, and a key of a map %d.
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
    var rows = new ArrayList<String>();
    fields(kind, schema.getProperties().get(field), field, rows);
    return "\n### %s: `%s`\n\n| Field | Type | What it is |\n|---|---|---|\n"
            .formatted(title, field)
        + String.join("", rows);
  }

  private static void fields(String kind, JSONSchemaProps at, String path, List<String> rows) {
    if (at.getProperties() == null) {
      return;
    }
    List<String> required = at.getRequired() == null ? List.of() : at.getRequired();
    at.getProperties()
        .forEach(
            (name, field) -> {
              String place = path + "." + name;
              Optional<String> instead = Optional.ofNullable(NOT_EXPANDED.get(kind + "." + place));
              rows.add(row(place, field, required.contains(name), instead));
              if (instead.isEmpty()) {
                fields(
                    kind,
                    field.getItems() == null ? field : field.getItems().getSchema(),
                    field.getItems() == null ? place : place + "[]",
                    rows);
              }
            });
  }

  private static String row(
      String path, JSONSchemaProps field, boolean required, Optional<String> instead) {
    var words = new ArrayList<String>();
    if (field.getDescription() != null) {
      words.add(sentence(field.getDescription()));
    }
    instead.ifPresent(words::add);
    words.addAll(limits(field));
    return Markdown.row(
        code(path), type(field) + (required ? ", required" : ""), cell(String.join(" ", words)));
  }

  private static List<String> limits(JSONSchemaProps field) {
    var limits = new ArrayList<String>();
    if (field.getDefault() != null) {
      limits.add("Default " + code(field.getDefault().asText()) + ".");
    }
    if (field.getEnum() != null && !field.getEnum().isEmpty()) {
      limits.add("One of " + codes(field.getEnum().stream().map(JsonNode::asText).toList()) + ".");
    }
    if (field.getMinimum() != null) {
      limits.add("At least " + whole(field.getMinimum()) + ".");
    }
    if (field.getMaximum() != null) {
      limits.add("At most " + whole(field.getMaximum()) + ".");
    }
    add(limits, field.getMaxLength(), Bounds.Limits::characters, "characters");
    add(limits, field.getMaxItems(), Bounds.Limits::entries, "entries");
    add(limits, field.getMaxProperties(), Bounds.Limits::entries, "entries");
    if (field.getPattern() != null) {
      limits.add("Matches " + code(field.getPattern()) + ".");
    }
    return limits;
  }

  /** The head of the page names the limits of fields that have none of their own. */
  private static void add(
      List<String> limits, Long most, ToLongFunction<Bounds.Limits> common, String unit) {
    boolean isCommon =
        most == null
            || Stream.of(Bounds.Limits.values())
                .anyMatch(bound -> common.applyAsLong(bound) == most);
    if (!isCommon) {
      limits.add("At most %d %s.".formatted(most, unit));
    }
  }

  private static String type(JSONSchemaProps field) {
    if (Boolean.TRUE.equals(field.getXKubernetesIntOrString())) {
      return "integer or string";
    }
    if (field.getItems() != null) {
      return "list of " + type(field.getItems().getSchema());
    }
    if (field.getAdditionalProperties() != null
        && field.getAdditionalProperties().getSchema() != null) {
      return "map to " + type(field.getAdditionalProperties().getSchema());
    }
    if (field.getType() == null) {
      return "any";
    }
    return "date-time".equals(field.getFormat()) ? "time" : field.getType();
  }

  private static String rules(CelRules rules) {
    String rows =
        rules.all().stream()
            .filter(rule -> !rule.path().startsWith("spec.template.spec"))
            .filter(rule -> !rule.message().equals(Bounds.KEY_MESSAGE))
            .map(
                rule ->
                    Markdown.row(
                        rule.path().isEmpty() ? "(the whole)" : code(rule.path()),
                        cell(withCode(rule.message()))))
            .distinct()
            .collect(Collectors.joining());
    return "\n### Rules\n\n| For | Rule |\n|---|---|\n" + rows;
  }

  private static String sentence(String text) {
    return text.endsWith(".") ? text : text + ".";
  }

  /** A pattern would be read as Markdown. */
  private static String withCode(String message) {
    return message.replaceFirst("^should match '(.*)'$", "should match `$1`");
  }

  private static String cell(String text) {
    return Markdown.cell(text).replace("<", "&lt;");
  }

  private static String whole(Double number) {
    return String.valueOf(number.longValue());
  }
}
