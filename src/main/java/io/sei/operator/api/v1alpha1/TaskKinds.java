package io.sei.operator.api.v1alpha1;

import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRuleBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Requires exactly one field with parameters in a task, that of its kind, and makes the parameters
 * immutable.
 */
public final class TaskKinds implements SchemaCustomizer.Customizer {

  @Override
  public JSONSchemaProps apply(
      JSONSchemaProps spec, String input, KubernetesSerialization serialization) {
    List<String> fields = Stream.of(NodeTaskKind.values()).map(NodeTaskKind::field).toList();
    String areSet =
        fields.stream().map("has(self.%s)"::formatted).collect(Collectors.joining(", "));
    add(
        spec,
        "[%s].filter(set, set).size() == 1".formatted(areSet),
        "exactly one of %s or %s must be set"
            .formatted(String.join(", ", fields.subList(0, fields.size() - 1)), fields.getLast()));
    for (NodeTaskKind kind : NodeTaskKind.values()) {
      String field = kind.field();
      add(
          spec,
          "self.kind != '%s' || has(self.%s)".formatted(kind, field),
          "spec.%s is required when kind=%s".formatted(field, kind));
      JSONSchemaProps parameters = spec.getProperties().get(field);
      if (!parameters.getProperties().isEmpty()) {
        add(
            parameters,
            "self == oldSelf",
            "spec.%s is immutable; create another task".formatted(field));
      }
    }
    return spec;
  }

  private static void add(JSONSchemaProps schema, String rule, String message) {
    var rules = new ArrayList<ValidationRule>(schema.getXKubernetesValidations());
    rules.add(new ValidationRuleBuilder().withRule(rule).withMessage(message).build());
    schema.setXKubernetesValidations(rules);
  }
}
