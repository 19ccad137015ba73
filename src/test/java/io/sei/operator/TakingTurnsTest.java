package io.sei.operator;

import static io.sei.operator.testkit.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.CrdFile;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.OperatorJar;
import io.sei.operator.testkit.OperatorProcess;
import io.sei.operator.testkit.PodRecord;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The operator is upgraded and downgraded, at rest and in the middle of a rollout. The other build
 * is that of {@code hack/earlier-commit}; {@code StoredStatusTest} has the short form.
 */
@Tag("long")
class TakingTurnsTest {

  private static final Path EARLIER = Path.of("target", "earlier");
  private static final String NAMESPACE = "turns";
  private static final String FLEET = "fleet";
  private static final String MARK_READY = "mark-ready";

  private ControlPlane controlPlane;
  private KubernetesClient client;
  private SidecarSimulator sidecar;
  private KubeletSimulator kubelet;
  private OperatorProcess operator;

  @BeforeEach
  void startWithTheEarlierCrds() throws IOException {
    assertThat(EARLIER.resolve("sei-operator.jar")).as("made by 'make earlier'").exists();
    controlPlane = ControlPlane.start();
    client = controlPlane.client();
    try (Stream<Path> crds = Files.list(EARLIER.resolve("crds"))) {
      for (Path crd : crds.toList()) {
        try (InputStream text = Files.newInputStream(crd)) {
          client.load(text).create();
        }
      }
    }
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .create();
    sidecar = new SidecarSimulator();
    kubelet = KubeletSimulator.inNamespace(client, sidecar, NAMESPACE);
  }

  @AfterEach
  void stop() {
    if (operator != null) {
      operator.close();
    }
    kubelet.close();
    sidecar.close();
    controlPlane.close();
  }

  @Test
  void podsAreReplacedOnceForEachImageAndNoStatusIsLost() throws IOException {
    start(EARLIER.resolve("sei-operator.jar"));
    eventually(() -> client.resource(fleet()).create());
    awaitUpToDate("sei:a");
    List<JsonNode> before = statuses();

    CrdFile.installAll(client);
    start(OperatorJar.FILE);
    assertKept(before);

    finishesWhatTheOtherBegan("sei:b", EARLIER.resolve("sei-operator.jar"), "sei:a", "sei:b");
    List<JsonNode> rolledByTheEarlier = statuses();
    finishesWhatTheOtherBegan("sei:c", OperatorJar.FILE, "sei:a", "sei:b", "sei:c");

    before = statuses();
    assertThat(names(before.get(0))).containsAll(names(rolledByTheEarlier.get(0)));
    start(EARLIER.resolve("sei-operator.jar"));
    assertKept(before);
    start(OperatorJar.FILE);
    assertKept(before);
    assertThat(images(0)).containsExactly("sei:a", "sei:b", "sei:c");
    assertThat(images(1)).containsExactly("sei:a", "sei:b", "sei:c");
  }

  /** One build is killed when it has replaced the first pod, and the other one goes on. */
  private void finishesWhatTheOtherBegan(String image, Path jar, String... images) {
    sidecar.faults(NAMESPACE, FLEET + "-1").hold(MARK_READY);
    int released = sidecar.executions(NAMESPACE, FLEET + "-1", MARK_READY);
    patch(
        read(SeiNodeDeployment.class, FLEET),
        "{'spec':{'template':{'spec':{'image':'%s'}}}}",
        image);
    eventually(
        () ->
            assertThat(sidecar.executions(NAMESPACE, FLEET + "-1", MARK_READY))
                .isEqualTo(released + 1));
    operator.kill();
    sidecar.faults(NAMESPACE, FLEET + "-1").release(MARK_READY);

    start(jar);

    awaitUpToDate(image);
    assertThat(images(0)).containsExactly(images);
    assertThat(images(1)).containsExactly(images);
    assertThat(sidecar.executions(NAMESPACE, FLEET + "-1", MARK_READY)).isEqualTo(released + 1);
  }

  /** The build that took over has looked at everything, and left it as it was. */
  private void assertKept(List<JsonNode> before) {
    int pods = images(0).size() + images(1).size();
    String request = operator.toString();
    objects()
        .forEach(it -> patch(it, "{'metadata':{'annotations':{'sei.io/explain':'%s'}}}", request));
    eventually(
        () ->
            assertThat(statuses())
                .allMatch(status -> status.at("/explain/request").asText().equals(request)));
    List<JsonNode> after = statuses();
    for (int i = 0; i < before.size(); i++) {
      assertThat(names(after.get(i))).containsAll(names(before.get(i)));
      for (String field :
          List.of(
              "phase",
              "templateHash",
              "currentImage",
              "podSpecHash",
              "nodes",
              "statefulSet",
              "planHistory",
              "config",
              "endpoint")) {
        assertThat(after.get(i).path(field)).as(field).isEqualTo(before.get(i).path(field));
      }
    }
    assertThat(images(0).size() + images(1).size()).isEqualTo(pods);
  }

  private void start(Path jar) {
    if (operator != null) {
      operator.close();
    }
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(OperatorJar.JVM_FLAGS);
    command.addAll(List.of("-jar", jar.toAbsolutePath().toString()));
    operator =
        OperatorProcess.start(
                command,
                controlPlane.kubeconfigYaml(ControlPlane.OPERATOR),
                Map.of(
                    "SEI_WATCH_NAMESPACES",
                    NAMESPACE,
                    "SEI_LEADER_ELECTION",
                    "false",
                    "SEI_SIDECAR_URL_TEMPLATE",
                    sidecar.urlTemplate(),
                    "SEI_STORAGE_SIZE_DEFAULT",
                    "10Gi"))
            .awaitReady();
  }

  private static SeiNodeDeployment fleet() {
    return Samples.fleet(NAMESPACE, FLEET, Samples.fullNodes(2, "sei:a"));
  }

  private void awaitUpToDate(String image) {
    eventually(
        () -> {
          var status = read(SeiNodeDeployment.class, FLEET).getStatus();
          assertThat(status.readyReplicas()).isEqualTo(2);
          assertThat(status.updated()).isEqualTo("2/2");
          assertThat(status.rollout()).isNull();
          for (int ordinal = 0; ordinal < 2; ordinal++) {
            var node = read(SeiNode.class, FLEET + "-" + ordinal).getStatus();
            assertThat(node.currentImage()).isEqualTo(image);
            assertThat(node.plan()).isNull();
          }
        });
  }

  private List<HasMetadata> objects() {
    return List.of(
        read(SeiNodeDeployment.class, FLEET),
        read(SeiNode.class, FLEET + "-0"),
        read(SeiNode.class, FLEET + "-1"));
  }

  private List<JsonNode> statuses() {
    return objects().stream()
        .map(it -> client.getKubernetesSerialization().convertValue(it, JsonNode.class))
        .map(it -> it.path("status"))
        .toList();
  }

  private static List<String> names(JsonNode status) {
    List<String> names = new ArrayList<>();
    status.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private List<String> images(int ordinal) {
    return kubelet.history(NAMESPACE, FLEET + "-" + ordinal + "-0").stream()
        .map(PodRecord::image)
        .toList();
  }

  private <T extends HasMetadata> T read(Class<T> type, String name) {
    return client.resources(type).inNamespace(NAMESPACE).withName(name).get();
  }

  private void patch(HasMetadata object, String patch, Object value) {
    client
        .resource(object)
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch.formatted(value).replace('\'', '"'));
  }
}
