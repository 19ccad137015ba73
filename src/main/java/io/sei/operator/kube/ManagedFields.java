package io.sei.operator.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.base.Json;
import io.sei.operator.base.Unreadable;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The record of who has set which field of an object. Every other read leaves it out, since it is
 * large and an apply that carries it is refused.
 *
 * @param resourceVersion of the object that it was read from
 * @param entries its JSON; missing if there is none
 */
public record ManagedFields(String resourceVersion, JsonNode entries) {

  private static final ObjectMapper JSON = Json.ofApiServer();

  @JsonIgnoreProperties(ignoreUnknown = true)
  private record Resource(Metadata metadata) {}

  @JsonIgnoreProperties(ignoreUnknown = true)
  private record Metadata(
      String resourceVersion, @JsonDeserialize(using = LimitedTree.class) JsonNode managedFields) {}

  /**
   * Reads it live, and nothing else of the object.
   *
   * @throws RefusedException if it is too large to be read
   */
  public static ManagedFields of(KubernetesClient client, HasMetadata object) {
    String name = object.getKind() + " " + object.getMetadata().getName();
    String json = Refusal.named(name, () -> client.raw(ObjectPath.of(object)));
    try {
      return parse(json);
    } catch (LimitedParser.TooLarge e) {
      throw RefusedException.unreadable(
          object, new Unreadable.Field("metadata.managedFields", e.getOriginalMessage()));
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }

  static ManagedFields parse(String json) throws IOException {
    Metadata metadata = JSON.readValue(json.getBytes(UTF_8), Resource.class).metadata();
    JsonNode entries = metadata.managedFields();
    return new ManagedFields(
        metadata.resourceVersion(), entries == null ? MissingNode.getInstance() : entries);
  }

  private static final class LimitedTree extends JsonDeserializer<JsonNode> {
    @Override
    public JsonNode deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      return context.readTree(new LimitedParser(parser, FreeFormDeserializer.OF_PROGRAMS));
    }
  }
}
