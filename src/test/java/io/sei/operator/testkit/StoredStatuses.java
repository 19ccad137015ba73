package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Statuses as released versions left them in the middle of their work. What this version leaves at
 * the same place is written to {@code target/stored-statuses}, to be kept when it is released.
 */
public final class StoredStatuses {

  private static final Path RELEASES = Path.of("src", "test", "resources", "stored-statuses");
  private static final Path RECORDED = Path.of("target", "stored-statuses");
  private static final String API = "sei.io/v1alpha1";
  private static final List<String> KINDS = List.of("SeiNode", "SeiNodeDeployment");

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(
              SerializationFeature.INDENT_OUTPUT, SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .build();

  private final KubernetesClient client;
  private final String namespace;

  public StoredStatuses(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  /** The versions whose statuses are kept. */
  public static List<String> versions() {
    try (Stream<Path> directories = Files.list(RELEASES)) {
      return directories.map(path -> path.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes the statuses of all nodes and fleets away and puts those of a version there. */
  public void exchange(String version, String name) {
    String file = name + ".json";
    Map<String, String> uids = uids();
    try {
      Files.createDirectories(RECORDED);
      String recorded = JSON.writeValueAsString(JSON.treeToValue(statuses(), Object.class));
      for (Map.Entry<String, String> uid : uids.entrySet()) {
        recorded = recorded.replace(uid.getValue(), uid.getKey());
      }
      Files.writeString(RECORDED.resolve(file), recorded + "\n");
      String stored = Files.readString(RELEASES.resolve(version).resolve(file));
      for (Map.Entry<String, String> uid : uids.entrySet()) {
        stored = stored.replace(uid.getKey(), uid.getValue());
      }
      write(JSON.readTree(stored));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JsonNode statuses() {
    ObjectNode statuses = JsonNodeFactory.instance.objectNode();
    for (String kind : KINDS) {
      ObjectNode ofKind = statuses.putObject(kind);
      for (GenericKubernetesResource resource :
          client.genericKubernetesResources(API, kind).inNamespace(namespace).list().getItems()) {
        ofKind.set(resource.getMetadata().getName(), JSON.valueToTree(resource.get("status")));
      }
    }
    return statuses;
  }

  private void write(JsonNode statuses) {
    for (String kind : KINDS) {
      statuses
          .path(kind)
          .fields()
          .forEachRemaining(
              status -> {
                // Nothing of the newer one may shine through.
                patch(kind, status.getKey(), JsonNodeFactory.instance.nullNode());
                patch(kind, status.getKey(), status.getValue());
              });
    }
  }

  private void patch(String kind, String name, JsonNode status) {
    client
        .genericKubernetesResources(API, kind)
        .inNamespace(namespace)
        .withName(name)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\":" + status + "}");
  }

  /** Returns the values that differ from run to run, by the placeholder in the file. */
  private Map<String, String> uids() {
    var uids = new TreeMap<String, String>();
    Stream.of(
            client.apps().statefulSets().inNamespace(namespace).list(),
            client.pods().inNamespace(namespace).list(),
            client.persistentVolumeClaims().inNamespace(namespace).list())
        .map(KubernetesResourceList::getItems)
        .<HasMetadata>flatMap(List::stream)
        .map(HasMetadata::getMetadata)
        .forEach(object -> uids.put("${uid of " + object.getName() + "}", object.getUid()));
    uids.put("${namespace}", namespace);
    return uids;
  }
}
