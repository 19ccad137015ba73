package io.sei.operator.api.schema;

import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * Has the API server refuse what is no quantity in the limits and requests of a property, such as
 * {@code resources}; the generator describes a quantity as any text.
 */
public final class Quantities implements SchemaCustomizer.Customizer {

  /** What the API server can parse, without a minus: no container may ask for less than nothing. */
  private static final String QUANTITY =
      "^\\+?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][-+]?[0-9]+)?$";

  @Override
  public JSONSchemaProps apply(
      JSONSchemaProps schema, String input, KubernetesSerialization serialization) {
    var lists = schema.getProperties().get(input).getProperties();
    for (String name : new String[] {"limits", "requests"}) {
      lists.get(name).getAdditionalProperties().getSchema().setPattern(QUANTITY);
    }
    return schema;
  }
}
