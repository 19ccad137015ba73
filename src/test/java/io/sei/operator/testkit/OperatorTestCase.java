package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.CrdFile;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The operator on a real control plane with simulated kubelet and sidecars, and a namespace. */
@RealControlPlane
public abstract class OperatorTestCase {

  protected static final String A = "sei:a";
  protected static final String B = "sei:b";
  protected static final String C = "sei:c";

  protected ControlPlane controlPlane;
  protected KubernetesClient client;
  protected String namespace;
  protected SidecarSimulator sidecar;
  protected KubeletSimulator kubelet;
  protected OperatorHarness operator;

  @BeforeEach
  void prepare(ControlPlane controlPlane, TestNamespace namespace) {
    prepare(controlPlane, namespace.name());
  }

  /** Sets everything up on a control plane; a test that needs one of its own calls it again. */
  protected void prepare(ControlPlane plane, String namespaceName) {
    controlPlane = plane;
    client = KubernetesClients.create(plane.config(ControlPlane.ADMIN));
    namespace = namespaceName;
    CrdFile.installAll(client);
    sidecar = new SidecarSimulator();
    kubelet = new KubeletSimulator(client, sidecar);
    operator =
        new OperatorHarness(
            plane.config(ControlPlane.OPERATOR), namespaceName, sidecar.urlTemplate());
    operator.start();
  }

  @AfterEach
  void cleanUp() {
    kubelet.clearAll();
    deleteAll(SeiNodeDeployment.class);
    deleteAll(SeiNode.class);
    operator.close();
    client.apps().statefulSets().inNamespace(namespace).delete();
    eventually(() -> assertThat(client.pods().inNamespace(namespace).list().getItems()).isEmpty());
    kubelet.close();
    sidecar.close();
    client.close();
  }

  private <T extends HasMetadata> void deleteAll(Class<T> type) {
    client.resources(type).inNamespace(namespace).delete();
    eventually(
        () ->
            assertThat(client.resources(type).inNamespace(namespace).list().getItems()).isEmpty());
  }

  /** A full node with this image. */
  protected static SeiNodeSpec spec(String image) {
    return SeiNodeSpecBuilder.builder()
        .chainId("atlantic-2")
        .image(image)
        .fullNode(new FullNode(null, null))
        .build();
  }

  /** Merge-patches an object, as {@code kubectl patch --type merge} does; ' stands for ". */
  protected void patch(HasMetadata object, String patch) {
    client.resource(object).patch(PatchContext.of(PatchType.JSON_MERGE), patch.replace('\'', '"'));
  }

  /** Events about the object of a name, with this reason. */
  protected List<Event> events(String name, String reason) {
    return client
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.name", name)
        .list()
        .getItems()
        .stream()
        .filter(event -> event.getReason().equals(reason))
        .toList();
  }

  /** Exceptions count as not yet, because a replaced object is absent for a moment. */
  protected static void eventually(ThrowingRunnable assertion) {
    eventually(Duration.ofSeconds(60), assertion);
  }

  /** The same with this much patience. */
  protected static void eventually(Duration atMost, ThrowingRunnable assertion) {
    await()
        .atMost(atMost)
        .pollInterval(Duration.ofMillis(20))
        .pollDelay(Duration.ZERO)
        .ignoreExceptions()
        .untilAsserted(assertion);
  }

  /** Holds throughout, not only at the end: the first failure, exceptions included, ends it. */
  protected static void holdsFor(Duration duration, ThrowingRunnable assertion) {
    Instant end = Instant.now().plus(duration);
    await()
        .atMost(duration.plusSeconds(30))
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
