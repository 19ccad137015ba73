package io.sei.operator.takeover;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sei.operator.base.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * PURE: fields that are set in a spec and unknown to a model. The API server hides their values
 * once the model's CRD is installed, and drops them with the next write, but still records which
 * manager set which field. Of lists that are replaced as a whole it records no fields.
 */
public final class UnservedFields {

  private static final JsonMapper JSON = Json.mapper();

  private static final String FIELD = "f:";

  private final String room;
  private final SortedSet<String> found = new TreeSet<>();

  private UnservedFields(Class<?> model) {
    this.room = model.getPackageName();
  }

  /**
   * Their paths, such as {@code spec.seed}, sorted; of a field that is missing as a whole those
   * below it are left out.
   *
   * @param managedFields of the object's metadata, as the API server returns them
   * @param model a record, of the spec
   */
  public static List<String> of(JsonNode managedFields, Class<?> model) {
    var fields = new UnservedFields(model);
    for (JsonNode entry : managedFields) {
      fields.look(JSON.constructType(model), "spec", entry.at("/fieldsV1/f:spec"));
    }
    return List.copyOf(fields.found);
  }

  private void look(JavaType type, String path, JsonNode set) {
    if (type.isCollectionLikeType()) {
      set.forEach(item -> look(type.getContentType(), path + "[]", item));
    } else if (isOfModel(type.getRawClass())) {
      Map<String, BeanPropertyDefinition> known =
          JSON.getDeserializationConfig().introspect(type).findProperties().stream()
              .filter(BeanPropertyDefinition::hasConstructorParameter)
              .collect(Collectors.toMap(BeanPropertyDefinition::getName, Function.identity()));
      set.properties().stream()
          .filter(field -> field.getKey().startsWith(FIELD))
          .forEach(
              field -> {
                String name = field.getKey().substring(FIELD.length());
                Optional.ofNullable(known.get(name))
                    .ifPresentOrElse(
                        definition ->
                            look(definition.getPrimaryType(), path + "." + name, field.getValue()),
                        () -> found.add(path + "." + name));
              });
    }
  }

  private boolean isOfModel(Class<?> type) {
    return type.isRecord() && type.getPackageName().equals(room);
  }
}
