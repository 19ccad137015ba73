package io.sei.operator.api.v1alpha1;

import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRuleBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.Locale;

/**
 * Limits every list, map, key and text of a generated schema that has no limit of its own, those of
 * built-in types included. An object of a megabyte costs its readers much more than that, so an
 * unlimited field is a way to slow the operator down.
 *
 * <p>A field whose values may be larger has {@code @Size} in the model. The input names the part of
 * the resource: {@code spec}, or {@code status}, which users do not write.
 */
public final class Bounds implements SchemaCustomizer.Customizer {

  /** Longest key of a label or an annotation: a DNS subdomain, a slash and 63 characters. */
  public static final long MAX_KEY = 317;

  /** Message of the validation rule that a longer key breaks. */
  public static final String KEY_MESSAGE =
      "keys must have at most %d characters".formatted(MAX_KEY);

  /** Limits of the fields without limits of their own. */
  public enum Limits {
    SPEC(256, 512),
    /** The operator alone writes it, and reports chains of thousands of nodes in it. */
    STATUS(16_384, 262_144);

    private final long entries;
    private final long characters;

    Limits(long entries, long characters) {
      this.entries = entries;
      this.characters = characters;
    }

    /** Entries of a list or a map. */
    public long entries() {
      return entries;
    }

    /** Characters of a text. */
    public long characters() {
      return characters;
    }
  }

  @Override
  public JSONSchemaProps apply(
      JSONSchemaProps schema, String input, KubernetesSerialization serialization) {
    limit(schema, Limits.valueOf(input.toUpperCase(Locale.ROOT)));
    return schema;
  }

  private static void limit(JSONSchemaProps schema, Limits limits) {
    if (isFreeText(schema) && schema.getMaxLength() == null) {
      schema.setMaxLength(limits.characters());
    }
    if (schema.getProperties() != null) {
      schema.getProperties().values().forEach(property -> limit(property, limits));
    }
    if (schema.getItems() != null) {
      if (schema.getMaxItems() == null) {
        schema.setMaxItems(limits.entries());
      }
      limit(schema.getItems().getSchema(), limits);
    }
    if (schema.getAdditionalProperties() != null) {
      limitMap(schema, limits);
    }
  }

  private static void limitMap(JSONSchemaProps map, Limits limits) {
    if (map.getMaxProperties() == null) {
      map.setMaxProperties(limits.entries());
    }
    JSONSchemaProps values = map.getAdditionalProperties().getSchema();
    // The API server evaluates no rule on a map to any JSON; what reads such a map checks its keys.
    boolean isToAnyJson = Boolean.TRUE.equals(values.getXKubernetesPreserveUnknownFields());
    if (limits == Limits.SPEC && !isToAnyJson) {
      var rules = new ArrayList<>(map.getXKubernetesValidations());
      rules.add(keyRule());
      map.setXKubernetesValidations(rules);
    }
    limit(values, limits);
  }

  /** Structural schemas have no keyword for the keys of a map. */
  private static ValidationRule keyRule() {
    return new ValidationRuleBuilder()
        .withRule("self.all(key, size(key) <= %d)".formatted(MAX_KEY))
        .withMessage(KEY_MESSAGE)
        .build();
  }

  /** Returns whether a field takes text that neither a format nor a choice of words limits. */
  private static boolean isFreeText(JSONSchemaProps schema) {
    boolean isText =
        "string".equals(schema.getType())
            || Boolean.TRUE.equals(schema.getXKubernetesIntOrString());
    return isText
        && schema.getFormat() == null
        && (schema.getEnum() == null || schema.getEnum().isEmpty());
  }
}
