package io.sei.operator.api.v1alpha1;

import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.TreeSet;

/**
 * Marks lists of a generated schema as {@code x-kubernetes-list-type: map} or {@code set}; the
 * generator has no annotation for it.
 *
 * <p>Input: {@code property=map:key}, {@code property=map:key+key} or {@code property=set},
 * separated by commas. The keys of a map list become required, as the API server demands.
 */
public final class ListTypes implements SchemaCustomizer.Customizer {

  @Override
  public JSONSchemaProps apply(
      JSONSchemaProps schema, String input, KubernetesSerialization serialization) {
    for (String entry : input.split(",")) {
      String[] propertyAndType = entry.split("=");
      String[] typeAndKey = propertyAndType[1].split(":");
      JSONSchemaProps list = schema.getProperties().get(propertyAndType[0]);
      list.setXKubernetesListType(typeAndKey[0]);
      if (typeAndKey.length > 1) {
        List<String> keys = List.of(typeAndKey[1].split("\\+"));
        list.setXKubernetesListMapKeys(keys);
        JSONSchemaProps items = list.getItems().getSchema();
        var required = new TreeSet<>(items.getRequired());
        required.addAll(keys);
        items.setRequired(List.copyOf(required));
      }
    }
    return schema;
  }
}
