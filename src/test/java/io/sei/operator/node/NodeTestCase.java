package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.CrdFile;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.OperatorHarness;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The operator on a real control plane with simulated kubelet and sidecars, and a namespace. */
@RealControlPlane
abstract class NodeTestCase {

  static final String NODE = "node";
  static final String POD = "node-0";
  static final String A = "sei:a";
  static final String B = "sei:b";
  static final String C = "sei:c";

  ControlPlane controlPlane;
  KubernetesClient client;
  String namespace;
  SidecarSimulator sidecar;
  KubeletSimulator kubelet;
  OperatorHarness operator;

  @BeforeEach
  void prepare(ControlPlane controlPlane, TestNamespace namespace) {
    this.controlPlane = controlPlane;
    this.client = KubernetesClients.create(controlPlane.config(ControlPlane.ADMIN));
    this.namespace = namespace.name();
    CrdFile.installAll(client);
    sidecar = new SidecarSimulator();
    kubelet = new KubeletSimulator(client, sidecar);
    operator =
        new OperatorHarness(
            controlPlane.config(ControlPlane.OPERATOR), this.namespace, sidecar.urlTemplate());
    operator.start();
  }

  @AfterEach
  void cleanUp() {
    kubelet.clearAll();
    client.resources(SeiNode.class).inNamespace(namespace).delete();
    eventually(
        () ->
            assertThat(client.resources(SeiNode.class).inNamespace(namespace).list().getItems())
                .isEmpty());
    operator.close();
    client.apps().statefulSets().inNamespace(namespace).delete();
    eventually(() -> assertThat(client.pods().inNamespace(namespace).list().getItems()).isEmpty());
    kubelet.close();
    sidecar.close();
    client.close();
  }

  /** A full node with this image. */
  static SeiNodeSpec spec(String image) {
    return SeiNodeSpecBuilder.builder()
        .chainId("atlantic-2")
        .image(image)
        .fullNode(new FullNode(null, null))
        .build();
  }

  SeiNode create(SeiNodeSpec spec) {
    var node = new SeiNode();
    node.getMetadata().setName(NODE);
    node.getMetadata().setNamespace(namespace);
    node.setSpec(spec);
    return client.resource(node).create();
  }

  /** Creates the node with image A and waits until it runs, undisturbed. */
  SeiNode createRunning() {
    create(spec(A));
    return awaitUpToDate(A);
  }

  SeiNode awaitUpToDate(String image) {
    eventually(
        () -> {
          SeiNode node = node();
          assertThat(node.getStatus().phase()).isEqualTo(NodePhase.RUNNING);
          assertThat(node.getStatus().currentImage()).isEqualTo(image);
          assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE);
          assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
          assertThat(runningImage()).isEqualTo(image);
        });
    return node();
  }

  SeiNode node() {
    return client.resources(SeiNode.class).inNamespace(namespace).withName(NODE).get();
  }

  Pod pod() {
    return client.pods().inNamespace(namespace).withName(POD).get();
  }

  StatefulSet statefulSet() {
    return client.apps().statefulSets().inNamespace(namespace).withName(NODE).get();
  }

  String runningImage() {
    return pod().getSpec().getContainers().stream()
        .filter(container -> container.getName().equals("seid"))
        .findFirst()
        .orElseThrow()
        .getImage();
  }

  /** Merge-patches the node, as {@code kubectl patch --type merge} does. */
  void patch(String patch) {
    client.resource(node()).patch(PatchContext.of(PatchType.JSON_MERGE), patch.replace('\'', '"'));
  }

  void setImage(String image) {
    patch("{'spec':{'image':'%s'}}".formatted(image));
  }

  void annotate(String key, String value) {
    patch("{'metadata':{'annotations':{'%s':'%s'}}}".formatted(key, value));
  }

  void edit(UnaryOperator<StatefulSet> change) {
    client.apps().statefulSets().inNamespace(namespace).withName(NODE).edit(change);
  }

  Condition condition(NodeConditionType type) {
    return Conditions.find(node().getStatus().conditions(), type.toString()).orElse(null);
  }

  void assertCondition(NodeConditionType type, ConditionStatus status) {
    Condition condition = condition(type);
    assertThat(condition).as("%s", type).isNotNull();
    assertThat(condition.status()).as("%s", condition).isEqualTo(status);
    assertThat(condition.observedGeneration())
        .as("%s", condition)
        .isEqualTo(node().getMetadata().getGeneration());
  }

  void assertCondition(NodeConditionType type, ConditionStatus status, Object reason) {
    assertCondition(type, status);
    assertThat(condition(type).reason()).isEqualTo(reason.toString());
  }

  List<Event> events(String reason) {
    return client
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.name", NODE)
        .list()
        .getItems()
        .stream()
        .filter(event -> event.getReason().equals(reason))
        .toList();
  }

  /** Exceptions count as not yet, because a replaced object is absent for a moment. */
  static void eventually(ThrowingRunnable assertion) {
    eventually(Duration.ofSeconds(30), assertion);
  }

  /** The same with more patience. */
  static void eventually(Duration atMost, ThrowingRunnable assertion) {
    await()
        .atMost(atMost)
        .pollInterval(Duration.ofMillis(20))
        .pollDelay(Duration.ZERO)
        .ignoreExceptions()
        .untilAsserted(assertion);
  }

  /** Holds throughout, not only at the end: the first failure, exceptions included, ends it. */
  static void holdsFor(Duration duration, ThrowingRunnable assertion) {
    Instant end = Instant.now().plus(duration);
    await()
        .atMost(duration.plusSeconds(10))
        .pollInterval(Duration.ofMillis(50))
        .pollDelay(Duration.ZERO)
        .until(
            () -> {
              try {
                assertion.run();
              } catch (Throwable e) {
                throw new AssertionError("did not hold for " + duration, e);
              }
              return !Instant.now().isBefore(end);
            });
  }
}
