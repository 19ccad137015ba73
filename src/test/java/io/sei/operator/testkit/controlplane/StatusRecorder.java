package io.sei.operator.testkit.controlplane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.StatusCorpus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Records every status that the API server stores while tests or scenes of the demo run, with the
 * spec it is about; of those that are alike the first. {@link StatusCorpus} keeps the best of them.
 */
public final class StatusRecorder implements AutoCloseable {

  private static final String API = "sei.io/v1alpha1";

  private final KubernetesClient client;
  private final KubernetesSerialization serialization;
  private final Map<String, GenericKubernetesResource> nodes = new ConcurrentHashMap<>();
  private final Map<String, ControllerRevision> revisions = new ConcurrentHashMap<>();
  private final Map<String, ObjectNode> seen = new LinkedHashMap<>();
  private final List<Watch> watches;
  private volatile String scene;

  /** Records until it is closed. */
  public StatusRecorder(KubernetesClient client) {
    this.client = client;
    serialization = client.getKubernetesSerialization();
    watches =
        List.of(
            client
                .resources(ControllerRevision.class)
                .inAnyNamespace()
                .watch(
                    new Each<>(
                        revision -> revisions.put(revision.getMetadata().getUid(), revision))),
            watch("SeiNode", this::node),
            watch("SeiNodeDeployment", this::fleet),
            watch("SeiNodeTask", task -> record(entry(task))),
            watch("SeiSigningKey", key -> record(entry(key))));
  }

  /** Names the scene of the demo that begins; in each scene the first of those alike is kept. */
  public void begin(String scene) {
    this.scene = scene;
  }

  private Watch watch(String kind, Consumer<GenericKubernetesResource> each) {
    return client.genericKubernetesResources(API, kind).inAnyNamespace().watch(new Each<>(each));
  }

  private record Each<T extends HasMetadata>(Consumer<T> consumer) implements Watcher<T> {
    @Override
    public void eventReceived(Action action, T object) {
      if (action == Action.ADDED || action == Action.MODIFIED) {
        consumer.accept(object);
      }
    }

    @Override
    public void onClose(WatcherException cause) {}
  }

  private void node(GenericKubernetesResource node) {
    nodes.put(node.getMetadata().getUid(), node);
    record(entry(node));
  }

  private void fleet(GenericKubernetesResource fleet) {
    String name = fleet.getMetadata().getName();
    String namespace = fleet.getMetadata().getNamespace();
    ObjectNode entry = entry(fleet);
    ArrayNode children = entry.putArray("nodes");
    nodes.values().stream()
        .filter(resource -> resource.getMetadata().getNamespace().equals(namespace))
        .filter(
            resource ->
                Labels.of(resource, Labels.NODE_DEPLOYMENT).filter(name::equals).isPresent())
        .sorted(Comparator.comparing(resource -> resource.getMetadata().getName()))
        .forEach(resource -> children.add(json(resource)));
    ArrayNode kept = entry.putArray("revisions");
    revisions.values().stream()
        .filter(revision -> revision.getMetadata().getNamespace().equals(namespace))
        .filter(
            revision ->
                Labels.of(revision, Labels.NODE_DEPLOYMENT).filter(name::equals).isPresent())
        .sorted(Comparator.comparing(ControllerRevision::getRevision))
        .forEach(revision -> kept.add(json(revision)));
    record(entry);
  }

  private ObjectNode entry(GenericKubernetesResource object) {
    ObjectNode entry = serialization.convertValue(Map.of(), ObjectNode.class);
    entry.put("now", Instant.now().toString());
    if (scene != null) {
      entry.put("scene", scene);
    }
    entry.set("object", json(object));
    return entry;
  }

  private ObjectNode json(HasMetadata object) {
    ObjectNode json = serialization.convertValue(object, ObjectNode.class);
    ((ObjectNode) json.get("metadata")).remove(List.of("managedFields", "resourceVersion"));
    return json;
  }

  /** An object without a status was not reconciled yet; a SeiSigningKey never has one. */
  private synchronized void record(ObjectNode entry) {
    JsonNode object = entry.path("object");
    if (object.has("status") || object.path("kind").asText().equals(SeiSigningKey.KIND)) {
      boolean isObserved =
          object.at("/status/observedGeneration").equals(object.at("/metadata/generation"));
      seen.putIfAbsent(scene + isObserved + StatusCorpus.signature(entry), entry);
    }
  }

  @Override
  public synchronized void close() {
    watches.forEach(Watch::close);
    Path file = StatusCorpus.RECORDED.resolve(UUID.randomUUID() + ".jsonl");
    try {
      Files.createDirectories(StatusCorpus.RECORDED);
      Files.write(file, seen.values().stream().map(ObjectNode::toString).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
