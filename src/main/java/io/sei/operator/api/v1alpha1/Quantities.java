package io.sei.operator.api.v1alpha1;

import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * Has the API server refuse what is no quantity as a property, or in the limits and requests of one
 * such as {@code resources}; the generator describes a quantity as any text.
 */
public final class Quantities implements SchemaCustomizer.Customizer {

  @Override
  public JSONSchemaProps apply(
      JSONSchemaProps schema, String input, KubernetesSerialization serialization) {
    JSONSchemaProps property = schema.getProperties().get(input);
    var lists = property.getProperties();
    if (lists == null || lists.isEmpty()) {
      property.setPattern(Patterns.QUANTITY);
      return schema;
    }
    for (String name : new String[] {"limits", "requests"}) {
      lists.get(name).getAdditionalProperties().getSchema().setPattern(Patterns.QUANTITY);
    }
    return schema;
  }
}
