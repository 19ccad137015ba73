package io.sei.operator.api;

import static io.sei.operator.docs.Markdown.code;
import static io.sei.operator.docs.Markdown.codes;
import static java.util.Map.entry;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.Bounds;
import io.sei.operator.docs.Markdown;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Tables of the fields of a spec or a status: one of its own fields, and one for each object among
 * them with all that is in it. An object that occurs again is listed once.
 */
final class FieldTables {

  /** Fields of an object that is not worth a reference to another one. */
  private static final int FEW = 2;

  /** Fields whose parts are not listed, and the sentence that stands for them. */
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

  private final String kind;
  private final String root;
  private final JSONSchemaProps fields;
  private final FieldEffects effects;
  private final boolean hasEffects;
  private final Map<String, List<String>> tables = new LinkedHashMap<>();
  private final Map<String, String> listed = new HashMap<>();

  /**
   * @param schema of the resource
   * @param root {@code spec} or {@code status}
   */
  FieldTables(String kind, JSONSchemaProps schema, String root) {
    this.kind = kind;
    this.root = root;
    this.fields = schema.getProperties().get(root);
    this.effects = new FieldEffects(kind, schema);
    // The operator writes records of keys; what a person may change there is in docs/validators.md.
    this.hasEffects = root.equals("spec") && !kind.equals("SeiSigningKey");
  }

  String text() {
    tables.put(root, new ArrayList<>());
    add(fields, root);
    return tables.entrySet().stream()
        .filter(table -> !table.getValue().isEmpty())
        .map(table -> table(table.getKey(), table.getValue()))
        .collect(Collectors.joining());
  }

  private String table(String object, List<String> rows) {
    return (object.equals(root) ? "" : "\n#### %s\n".formatted(code(object)))
        + (hasEffects
            ? "\n| Field | Type | Default | A change | |\n|---|---|---|---|---|\n"
            : "\n| Field | Type | |\n|---|---|---|\n")
        + String.join("", rows);
  }

  private void add(JSONSchemaProps object, String path) {
    List<String> required = object.getRequired() == null ? List.of() : object.getRequired();
    object
        .getProperties()
        .forEach((name, field) -> add(field, path + "." + name, required.contains(name)));
  }

  private void add(JSONSchemaProps field, String path, boolean isRequired) {
    JSONSchemaProps parts = field.getItems() == null ? field : field.getItems().getSchema();
    String below = field.getItems() == null ? path : path + "[]";
    String instead = NOT_EXPANDED.get(kind + "." + path);
    boolean hasParts = instead == null && !parts.getProperties().isEmpty();
    String same = hasParts ? sameObject(parts, below) : null;
    if (same != null) {
      instead = "The fields of %s.".formatted(code(same));
      hasParts = false;
    }
    tables
        .computeIfAbsent(tableOf(path, hasParts), _ -> new ArrayList<>())
        .add(row(path, field, isRequired, instead, hasParts || same != null));
    if (hasParts) {
      add(parts, below);
    }
  }

  /** A field of the root that has fields begins a table. */
  private String tableOf(String path, boolean hasParts) {
    String[] steps = path.replace("[]", "").split("\\.");
    return steps.length == 2 && !hasParts ? root : root + "." + steps[1];
  }

  /** Returns where the same fields with the same effects are listed; null if they are not. */
  private String sameObject(JSONSchemaProps object, String path) {
    if (object.getProperties().size() <= FEW) {
      return null;
    }
    var fields = new StringBuilder(Serialization.asYaml(object.getProperties()));
    if (hasEffects) {
      object.getProperties().keySet().forEach(name -> fields.append(effects.of(path + "." + name)));
    }
    return listed.putIfAbsent(fields.toString(), path);
  }

  private String row(
      String path, JSONSchemaProps field, boolean isRequired, String instead, boolean hasParts) {
    var words = new ArrayList<String>();
    if (field.getDescription() != null) {
      words.add(sentence(FieldDefaults.withoutClause(field.getDescription(), hasEffects)));
    }
    if (instead != null) {
      words.add(instead);
    }
    words.addAll(limits(field));
    var cells =
        new ArrayList<>(
            List.of(
                code(path),
                type(field) + (isRequired && field.getDefault() == null ? ", required" : "")));
    if (hasEffects) {
      cells.add(FieldDefaults.cell(kind, path, field));
      cells.add(hasParts ? effects.ofObject(path) : effects.of(path));
    }
    cells.add(cell(String.join(" ", words)));
    return Markdown.row(cells.toArray(String[]::new));
  }

  private static List<String> limits(JSONSchemaProps field) {
    var limits = new ArrayList<String>();
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

  private static String sentence(String text) {
    return text.endsWith(".") ? text : text + ".";
  }

  static String cell(String text) {
    return Markdown.cell(text).replace("<", "&lt;");
  }

  private static String whole(Double number) {
    return String.valueOf(number.longValue());
  }
}
