package io.sei.operator.api;

import static java.util.Map.entry;

import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.sei.operator.api.v1alpha1.DataVolume.Storage.AutoGrow;
import io.sei.operator.api.v1alpha1.FleetDataVolume.Snapshots;
import io.sei.operator.api.v1alpha1.NodeGenesis.ConfigMapKey;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.config.ConfigKey;
import io.sei.operator.docs.Markdown;
import io.sei.operator.fleet.feature.Limits;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Defaults of the fields of a spec: of the schema, else what the operator's code takes for an empty
 * object, else the settings or the words in the field's description.
 */
final class FieldDefaults {

  /** Values that the operator takes where the spec has none, by kind and path. */
  static final Map<String, String> OF_CODE = ofCode();

  /** Settings that decide where the description does not name them. */
  static final Map<String, String> OF_SETTINGS =
      Map.of(
          "SeiNode.spec.progressDeadlineSeconds",
          "SEI_PROGRESS_DEADLINE",
          "SeiNode.spec.updatePolicy.pod",
          "`Recreate`; `InPlaceIfPossible` by SEI_UPDATE_PODS_IN_PLACE",
          "SeiNode.spec.updatePolicy.config",
          "`Restart`; `OnNextStart` by SEI_CONFIGURE_ON_NEXT_START",
          "SeiNode.spec.resources",
          "SEI_RESOURCE_CPU_DEFAULT and SEI_RESOURCE_MEM_DEFAULT; for an archive node"
              + " SEI_RESOURCE_CPU_ARCHIVE and SEI_RESOURCE_MEM_ARCHIVE",
          "SeiNode.spec.dataVolume.storage.resources.requests.storage",
          "SEI_STORAGE_SIZE_DEFAULT; for an archive node SEI_STORAGE_SIZE_ARCHIVE",
          "SeiNode.spec.dataVolume.storage.storageClassName",
          "SEI_STORAGE_CLASS_PERF; for an archive node SEI_STORAGE_CLASS_ARCHIVE; else"
              + " SEI_STORAGE_CLASS_DEFAULT");

  /** Clause of a description that names the default, such as {@code ; none if unset}. */
  private static final Pattern CLAUSE =
      Pattern.compile("[;,] ((?:[^;,.:]|\\.(?=\\S))+) if unset| (\\w+) \\(if unset\\)");

  private static final Pattern SETTING = Pattern.compile("SEI_[A-Z_]+");

  private FieldDefaults() {}

  private static Map<String, String> ofCode() {
    SeiNodeSpec node = SeiNodeSpecBuilder.builder().build();
    Limits limits = Limits.of(SeiNodeDeploymentSpecBuilder.builder().replicas(3).build(), null);
    String limit = "SeiNodeDeployment.spec.updateStrategy.inPlace.";
    String genesis = new ConfigMapKey(null, null).keyOrDefault();
    return Map.ofEntries(
        entry(
            "SeiNode.spec.terminationGracePeriodSeconds",
            String.valueOf(node.gracePeriod().toSeconds())),
        entry(
            "SeiNode.spec.startDeadlineSeconds", String.valueOf(node.startDeadline().toSeconds())),
        entry(
            "SeiNode.spec.dataVolume.storage.autoGrow.increase",
            new AutoGrow(null, null, null).increaseOrDefault()),
        entry("SeiNode.spec.genesis.configMap.key", genesis),
        entry("SeiNode.spec.validator.genesisCeremony.configMap.key", genesis),
        entry(
            "SeiNodeDeployment.spec.dataVolume.snapshots.keep",
            String.valueOf(new Snapshots(null, null, null, null).kept())),
        entry(limit + "maxUnavailable", String.valueOf(limits.maxUnavailable())),
        entry(limit + "partition", String.valueOf(limits.partition())),
        entry(
            limit + "progressDeadlineSeconds",
            String.valueOf(limits.progressDeadline().toSeconds())));
  }

  /** Returns the cell of a field; empty if it has no default. */
  static String cell(String kind, String path, JSONSchemaProps field) {
    if (field.getDefault() != null) {
      return Markdown.code(field.getDefault().asText());
    }
    String ofCode = OF_CODE.get(kind + "." + path);
    if (ofCode != null) {
      return Markdown.code(ofCode);
    }
    String ofSettings = OF_SETTINGS.get(kind + "." + path);
    return ofSettings == null
        ? clause(field).map(FieldDefaults::words).orElse("")
        : words(ofSettings);
  }

  /** Returns the words of a field's description that name its default. */
  static Optional<String> clause(JSONSchemaProps field) {
    Matcher clause = CLAUSE.matcher(String.valueOf(field.getDescription()));
    return clause.find()
        ? Optional.of(clause.group(1) == null ? "`" + clause.group(2) + "`" : clause.group(1))
        : Optional.empty();
  }

  /** Returns a description without the clause, which has a column of its own for a spec. */
  static String withoutClause(String description, boolean hasColumn) {
    return hasColumn
        ? CLAUSE
            .matcher(description)
            .replaceFirst(match -> match.group(2) == null ? "" : " " + match.group(2))
        : description;
  }

  /** Names the default of each setting beside it. */
  private static String words(String clause) {
    Map<String, String> settings =
        ConfigKey.all().stream().collect(Collectors.toMap(ConfigKey::name, ConfigKey::defaultText));
    return SETTING
        .matcher(clause)
        .replaceAll(
            match ->
                Matcher.quoteReplacement(
                    "[`%s`](configuration.md)%s"
                        .formatted(match.group(), initially(settings.get(match.group())))));
  }

  private static String initially(String preset) {
    return preset.isEmpty() ? "" : " (" + Markdown.code(preset) + ")";
  }
}
