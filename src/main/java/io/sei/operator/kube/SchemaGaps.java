package io.sei.operator.kube;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sei.operator.base.Json;
import java.util.ArrayList;
import java.util.List;

/**
 * PURE: which fields of a model the schema of an installed CRD lacks. The API server drops such a
 * field from whatever is written, and says nothing.
 */
public final class SchemaGaps {

  private static final JsonMapper JSON = Json.mapper();

  private final String room;
  private final List<String> gaps = new ArrayList<>();

  private SchemaGaps(Class<?> model) {
    this.room = model.getPackageName();
  }

  /**
   * Paths of fields, such as {@code status.plan.target}; of a field that is missing as a whole
   * those below it are left out. Only records of the model's own package are looked into: what
   * Kubernetes' types consist of is not this operator's matter.
   *
   * @param model a record
   * @param path where the schema stands, such as {@code status}
   * @param schema as in {@code openAPIV3Schema}
   */
  public static List<String> of(Class<?> model, String path, JsonNode schema) {
    var gaps = new SchemaGaps(model);
    gaps.type(JSON.constructType(model), path, schema);
    return List.copyOf(gaps.gaps);
  }

  private void type(JavaType type, String path, JsonNode schema) {
    if (schema.isMissingNode()) {
      gaps.add(path);
    } else if (schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
      return;
    } else if (type.isMapLikeType()) {
      type(type.getContentType(), path, schema.path("additionalProperties"));
    } else if (type.isCollectionLikeType()) {
      type(type.getContentType(), path, schema.path("items"));
    } else if (isOfModel(type.getRawClass())) {
      JSON.getDeserializationConfig().introspect(type).findProperties().stream()
          .filter(BeanPropertyDefinition::hasConstructorParameter)
          .forEach(
              field ->
                  type(
                      field.getPrimaryType(),
                      path + "." + field.getName(),
                      schema.path("properties").path(field.getName())));
    }
  }

  private boolean isOfModel(Class<?> type) {
    return type.isRecord() && type.getPackageName().equals(room);
  }
}
