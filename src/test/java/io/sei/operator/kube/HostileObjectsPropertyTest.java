package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ContainerNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.DefaultKubernetesResourceList;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskSpec;
import io.sei.operator.api.v1alpha1.SeiNodeTaskStatus;
import io.sei.operator.base.Unreadable;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.HostileInput;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever is in an object of a kind that is watched, those that come with it are read. */
class HostileObjectsPropertyTest {

  private static final int ROUNDS = Cases.count(40, 400);

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TextNode SPOILED = TextNode.valueOf("SPOILED");

  /** The identity of an object is never anything else. */
  private static final Set<String> IDENTITY =
      Set.of("apiVersion", "kind", "metadata", "name", "namespace", "uid", "resourceVersion");

  private final KubernetesSerialization serialization = KubernetesClients.serialization();

  /** An object, and the class that it is read as. */
  private record Sample(Class<? extends HasMetadata> type, ObjectNode json) {}

  static IntStream seeds() {
    return Cases.seeds(1, 20);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void whatComesWithAHostileObjectIsRead(int seed) throws IOException {
    var random = new Random(seed);
    for (Sample sample : samples(random)) {
      serialization.registerKubernetesResource(sample.type());
      for (int round = 0; round < ROUNDS; round++) {
        ObjectNode object = sample.json().deepCopy();
        object.withObject("/metadata").put("namespace", round % 2 == 0 ? "b" : "another");
        assertReadWith(sample, spoiled(object, random));
      }
    }
  }

  private void assertReadWith(Sample sample, String hostile) {
    try {
      assertRead(sample, hostile);
    } catch (Throwable e) {
      String beginning = hostile.substring(0, Math.min(1000, hostile.length()));
      throw new AssertionError(sample.type().getSimpleName() + ": " + beginning, e);
    }
  }

  private void assertRead(Sample sample, String hostile) {
    HasMetadata alone = serialization.unmarshal(sample.json().toString(), sample.type());
    List<HasMetadata> page =
        list(sample.type(), sample.json().toString(), hostile, sample.json().toString());
    assertThat(page).hasSize(3);
    assertThat(page.getFirst()).isEqualTo(alone);
    assertThat(page.getLast()).isEqualTo(alone);
    HasMetadata read = page.get(1);
    assertThat(read.getMetadata().getName()).isEqualTo(alone.getMetadata().getName());
    assertThat(read.getMetadata().getUid()).isEqualTo(alone.getMetadata().getUid());
    assertUsable(read);
    HasMetadata watched =
        (HasMetadata)
            serialization
                .unmarshal(
                    "{\"type\":\"ADDED\",\"object\":%s}".formatted(hostile), WatchEvent.class)
                .getObject();
    assertThat(Unreadable.of(watched)).isEqualTo(Unreadable.of(read));
  }

  /** Uses the object in every way in which the operator may use it. */
  private void assertUsable(HasMetadata read) {
    assertThat(read.hashCode()).isEqualTo(read.hashCode());
    assertThat(Unreadable.of(serialization.clone(read))).isEqualTo(Unreadable.of(read));
    assertThat(serialization.asJson(read)).isNotEmpty();
    assertThat(read.toString()).isNotEmpty();
    if (Unreadable.isStub(read) && read instanceof SeiNode node) {
      OfflineNode.CONDITIONS.gauges().stream()
          .filter(row -> node.getStatus() != null)
          .forEach(row -> row.series().apply(node));
      if (node.getSpec() != null) {
        assertThat(new FleetView.Child(node, 0).view().isReady()).isFalse();
      }
    }
  }

  private List<HasMetadata> list(Class<?> type, String... items) {
    Type list = serialization.constructParametricType(DefaultKubernetesResourceList.class, type);
    String page = "{\"metadata\":{},\"items\":[%s]}".formatted(String.join(",", items));
    DefaultKubernetesResourceList<HasMetadata> read =
        serialization.unmarshal(
            page,
            new TypeReference<>() {
              @Override
              public Type getType() {
                return list;
              }
            });
    return read.getItems();
  }

  /** Replaces one value, somewhere. */
  private static String spoiled(ObjectNode json, Random random) {
    var input = new HostileInput(random, List.of(), true);
    ObjectNode spoiled = json.deepCopy();
    List<String> parts = new ArrayList<>();
    spoiled.fieldNames().forEachRemaining(parts::add);
    parts.removeAll(List.of("apiVersion", "kind"));
    String part = input.any(parts);
    boolean isWhole = !part.equals("metadata") && input.oneIn(6);
    if (isWhole || !(spoiled.get(part) instanceof ContainerNode<?> container)) {
      spoiled.set(part, SPOILED);
    } else {
      input.spoil(container, IDENTITY, _ -> SPOILED);
    }
    // Some values are too deep or too large to be a tree.
    return spoiled.toString().replace(SPOILED.toString(), input.any(HostileInput.JSON_VALUES));
  }

  private List<Sample> samples(Random random) throws IOException {
    var records = new HostileInput(random, List.of("a", "sei:a", "1Gi"), true);
    var samples = new ArrayList<Sample>();
    samples.add(
        custom(SeiNode.class, records.make(SeiNodeSpec.class), records.make(SeiNodeStatus.class)));
    samples.add(
        custom(
            SeiNodeDeployment.class,
            records.make(SeiNodeDeploymentSpec.class),
            records.make(SeiNodeDeploymentStatus.class)));
    samples.add(
        custom(
            SeiNodeTask.class,
            records.make(SeiNodeTaskSpec.class),
            records.make(SeiNodeTaskStatus.class)));
    for (ObjectNode object : rendered()) {
      samples.add(
          new Sample(
              serialization
                  .getRegisteredKubernetesResource(
                      object.get("apiVersion").asText(), object.get("kind").asText())
                  .asSubclass(HasMetadata.class),
              withIdentity(object)));
    }
    return samples;
  }

  /** The rendered objects of a node, with a pod and a ControllerRevision. */
  private static List<ObjectNode> rendered() throws IOException {
    Path file = Path.of("src", "test", "resources", "render", "everything-set.yaml");
    var objects = new ArrayList<ObjectNode>();
    var yaml = new YAMLMapper();
    try (MappingIterator<ObjectNode> documents =
        yaml.readerFor(ObjectNode.class).readValues(file.toFile())) {
      documents.forEachRemaining(objects::add);
    }
    ObjectNode set =
        objects.stream()
            .filter(json -> json.get("kind").asText().equals("StatefulSet"))
            .findFirst()
            .orElseThrow();
    ObjectNode pod = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Pod");
    pod.set("metadata", set.at("/spec/template/metadata").deepCopy());
    pod.set("spec", set.at("/spec/template/spec").deepCopy());
    pod.withObject("/status").put("phase", "Running").withArray("/conditions").addObject();
    objects.add(pod);
    ObjectNode revision =
        JSON.createObjectNode().put("apiVersion", "apps/v1").put("kind", "ControllerRevision");
    revision.set("metadata", set.get("metadata").deepCopy());
    revision.put("revision", 1).withObject("/data").set("template", set.at("/spec/template"));
    objects.add(revision);
    return objects;
  }

  private Sample custom(Class<? extends HasMetadata> type, Object spec, Object status) {
    ObjectNode json =
        JSON.createObjectNode()
            .put("apiVersion", HasMetadata.getApiVersion(type))
            .put("kind", HasMetadata.getKind(type));
    json.putObject("metadata").putObject("labels").put("a", "b");
    json.set("spec", serialization.convertValue(spec, JsonNode.class));
    json.set("status", serialization.convertValue(status, JsonNode.class));
    return new Sample(type, withIdentity(json));
  }

  private static ObjectNode withIdentity(ObjectNode object) {
    object
        .withObject("/metadata")
        .put("name", "a")
        .put("namespace", "b")
        .put("uid", "c")
        .put("resourceVersion", "1")
        .put("generation", 1);
    return object;
  }
}
