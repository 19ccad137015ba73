package io.sei.operator.kube;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;

/**
 * Reads the object of a watch event as what its apiVersion and kind say that it is. The library's
 * own deserializer (fabric8 7.9, {@code KubernetesDeserializer}) makes a tree of the whole object
 * first, which takes twenty times the memory of its text.
 */
final class WatchedObjectDeserializer extends JsonDeserializer<Object> {

  private final KubernetesSerialization kinds;

  /**
   * @param kinds knows the classes of kinds
   */
  WatchedObjectDeserializer(KubernetesSerialization kinds) {
    this.kinds = kinds;
  }

  @Override
  public Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
    ObjectReading.isOneOfMany(context);
    String apiVersion = null;
    String kind = null;
    while (parser.nextToken() == JsonToken.FIELD_NAME && (apiVersion == null || kind == null)) {
      String name = parser.currentName();
      if (name.equals("apiVersion")) {
        apiVersion = parser.nextTextValue();
      } else if (name.equals("kind")) {
        kind = parser.nextTextValue();
      } else {
        // The library then reads the event as an object of the kind that it watches.
        throw JsonMappingException.from(parser, "apiVersion and kind are not its first fields");
      }
    }
    Class<? extends KubernetesResource> type =
        kinds.getRegisteredKubernetesResource(apiVersion, kind);
    if (type != null) {
      return context.readValue(parser, type);
    }
    var object = context.readValue(parser, GenericKubernetesResource.class);
    object.setApiVersion(apiVersion);
    object.setKind(kind);
    return object;
  }
}
