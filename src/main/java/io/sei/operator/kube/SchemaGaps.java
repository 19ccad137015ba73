package io.sei.operator.kube;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * PURE: which fields of a model the schema of an installed CRD lacks. The API server drops such a
 * field from whatever is written, and says nothing.
 */
public final class SchemaGaps {

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
    gaps.type(model, path, schema);
    return List.copyOf(gaps.gaps);
  }

  private void type(Type type, String path, JsonNode schema) {
    if (schema.isMissingNode()) {
      gaps.add(path);
    } else if (schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
      return;
    } else if (type instanceof ParameterizedType generic) {
      Class<?> container = (Class<?>) generic.getRawType();
      Type[] arguments = generic.getActualTypeArguments();
      if (Map.class.isAssignableFrom(container)) {
        type(arguments[1], path, schema.path("additionalProperties"));
      } else if (List.class.isAssignableFrom(container)) {
        type(arguments[0], path, schema.path("items"));
      }
    } else if (type instanceof Class<?> model && isOfModel(model)) {
      for (RecordComponent field : model.getRecordComponents()) {
        String name = name(field);
        type(field.getGenericType(), path + "." + name, schema.path("properties").path(name));
      }
    }
  }

  private boolean isOfModel(Class<?> type) {
    return type.isRecord() && type.getPackageName().equals(room);
  }

  private static String name(RecordComponent field) {
    return Optional.ofNullable(field.getAccessor().getAnnotation(JsonProperty.class))
        .map(JsonProperty::value)
        .filter(name -> !name.isEmpty())
        .orElseGet(field::getName);
  }
}
