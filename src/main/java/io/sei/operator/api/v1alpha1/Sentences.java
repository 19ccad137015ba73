package io.sei.operator.api.v1alpha1;

import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;

/**
 * Replaces each pattern of a generated schema by a rule that refuses the same values in a sentence
 * with an example; the API server quotes the regular expression of a pattern.
 *
 * <p>A pattern stays in the maps of {@code resources}, where the API server can give a rule no
 * number such as 1e9, and in lists of lists, where its estimate of a rule's cost is above its
 * limit; those of peers have a cheaper rule beside it.
 *
 * <p>Kubernetes 1.30 checks every rule again when a status is written, so a rule accepts what was
 * stored before it, where the API server lets it see that.
 */
public final class Sentences implements SchemaCustomizer.Customizer {

  /** Values of the map {@code overrides}, which are text: YAML reads 5000 as a number. */
  public static final String TEXT =
      "must be text: put a number or a boolean in quotes, such as \"5000\"";

  private static final String LABEL_SENTENCE =
      "must have only lower-case letters, digits and dashes, and begin and end with a letter or a"
          + " digit, such as pacific-1";

  private static final String SUBDOMAIN_SENTENCE =
      "must have only lower-case letters, digits, dashes and dots, and begin and end with a letter"
          + " or a digit, such as my-name";

  private static final String QUANTITY_SENTENCE =
      "must be a quantity of Kubernetes, without spaces and not negative, such as 500Gi";

  /** Messages for values that do not match, by pattern; each ends with an example that matches. */
  public static final Map<String, String> OF_PATTERNS =
      Map.ofEntries(
          Map.entry(Patterns.DNS_LABEL, LABEL_SENTENCE),
          Map.entry(Patterns.DNS_SUBDOMAIN, SUBDOMAIN_SENTENCE),
          Map.entry(
              Patterns.KEY_NAME,
              "must have only letters, digits, dashes and underscores, such as node_admin"),
          Map.entry(Patterns.QUANTITY, QUANTITY_SENTENCE),
          Map.entry(Patterns.DURATION, Patterns.DURATION_SENTENCE),
          Map.entry(Patterns.GO_DURATION, Patterns.DURATION_SENTENCE),
          Map.entry(
              Patterns.ADDRESS,
              "must be HOST:PORT, the port from 1 to 65535, such as rpc.example.com:26657"),
          Map.entry(Patterns.PEER, Patterns.PEER_SENTENCE),
          Map.entry(
              Patterns.LISTEN,
              "must be tcp://0.0.0.0:PORT or tcp://[::]:PORT, such as tcp://0.0.0.0:26659"),
          Map.entry(
              Patterns.PUBLIC_KEY,
              "must be a public key of 32 bytes in base64, such as"
                  + " 0NpEgyvIZYHOZaxtWb0DGoHc7yZQnhtx0FTKMtvVFrI="),
          Map.entry(
              Patterns.CONFIG_KEY,
              "must have only letters, digits, dashes, dots and underscores, such as genesis.json"),
          Map.entry(Patterns.TOML_FILE, "must be a TOML file of seid, such as app.toml"),
          Map.entry(
              Patterns.TOML_KEY, "must be a key with the names of its tables, such as p2p.laddr"),
          Map.entry(Patterns.GROWTH, "must be a percentage, or a size in Gi or Ti, such as 20%"),
          Map.entry(Patterns.SNAPSHOT_NODE, "must be Last or an ordinal from 0 to 99, such as 0"),
          Map.entry(
              Patterns.PERMISSION,
              "must be nobody, everybody, or an address of Sei, such as everybody"));

  private static final String OVERRIDES = "overrides";
  private static final String UNCHANGED = "oldSelf.hasValue() && oldSelf.value() == self || ";

  private static final String QUANTITY =
      "type(self) == int || isQuantity(self) && !self.startsWith('-')";

  @Override
  public JSONSchemaProps apply(
      JSONSchemaProps schema, String input, KubernetesSerialization serialization) {
    quoteOverrides(schema);
    schema.getProperties().values().forEach(field -> replace(field, false));
    return schema;
  }

  private static void replace(JSONSchemaProps field, boolean isInList) {
    if (field.getProperties() != null) {
      field.getProperties().values().forEach(part -> replace(part, isInList));
    }
    if (field.getItems() != null) {
      replaceInList(field, isInList);
    }
    String pattern = field.getPattern();
    if (pattern == null) {
      return;
    }
    field.setPattern(null);
    String rule =
        pattern.equals(Patterns.QUANTITY) ? QUANTITY : "self.matches(r'%s')".formatted(pattern);
    add(field, rule, sentence(pattern), !isInList);
  }

  private static void replaceInList(JSONSchemaProps list, boolean isInList) {
    JSONSchemaProps items = list.getItems().getSchema();
    String pattern = items.getPattern();
    if (pattern == null) {
      // The API server finds an item of a map list in what was stored, by its keys.
      replace(items, isInList || !"map".equals(list.getXKubernetesListType()));
      return;
    }
    if (!isInList) {
      items.setPattern(null);
      String rule = "self.all(item, item.matches(r'%s'))".formatted(pattern);
      add(list, rule, "each " + sentence(pattern), true);
    }
  }

  private static String sentence(String pattern) {
    return Optional.ofNullable(OF_PATTERNS.get(pattern))
        .orElseThrow(() -> new IllegalStateException("no sentence for the pattern " + pattern));
  }

  /**
   * Has a rule, which can say more than a type, refuse whole numbers among the values. The API
   * server estimates the cost of {@code in} by the list, and that of {@code ==} by the value.
   */
  private static void quoteOverrides(JSONSchemaProps schema) {
    JSONSchemaProps overrides = schema.getProperties().get(OVERRIDES);
    if (overrides == null) {
      return;
    }
    JSONSchemaProps values = overrides.getAdditionalProperties().getSchema();
    values.setType(null);
    values.setXKubernetesIntOrString(true);
    add(values, "type(self) in [string]", TEXT, false);
  }

  /**
   * Adds a rule.
   *
   * @param knowsOld whether the API server compares the field with what was stored
   */
  private static void add(JSONSchemaProps field, String rule, String message, boolean knowsOld) {
    var rules = new ArrayList<ValidationRule>();
    if (field.getXKubernetesValidations() != null) {
      rules.addAll(field.getXKubernetesValidations());
    }
    var added = new ValidationRule();
    added.setRule(knowsOld ? UNCHANGED + rule : rule);
    added.setOptionalOldSelf(knowsOld ? true : null);
    added.setMessage(message);
    rules.add(added);
    field.setXKubernetesValidations(rules);
  }
}
