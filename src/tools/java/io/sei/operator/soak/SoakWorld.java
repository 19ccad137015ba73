package io.sei.operator.soak;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.CrdFile;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.testkit.ChainSimulator;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.OperatorHarness;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;

/** Some nodes, a fleet, and an operator that reaches the API server through a door with weather. */
final class SoakWorld implements AutoCloseable {

  static final List<String> NODES = List.of("alone-0", "alone-1", "alone-2");
  static final String FLEET = "fleet";

  /** Names of these and of the fleet's nodes that exist most of the time. */
  static final List<String> ALL =
      Stream.concat(NODES.stream(), Stream.of("fleet-0", "fleet-1", "fleet-2")).toList();

  static final int MOST_REPLICAS = 4;

  /** Longer than anything here takes on a slow machine; a request that fails is asked again. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final ControlPlane plane;
  private final String namespace;
  private final KubernetesClient client;
  private final SidecarSimulator sidecar;
  private final ChainSimulator chain;
  private final KubeletSimulator kubelet;
  private final FaultyApiServer door;
  private final OperatorHarness operator;

  SoakWorld(ControlPlane plane, String namespace) {
    this.plane = plane;
    this.namespace = namespace;
    client = KubernetesClients.create(plane.config(ControlPlane.ADMIN));
    CrdFile.installAll(client);
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    sidecar = new SidecarSimulator();
    chain = new ChainSimulator();
    kubelet = KubeletSimulator.inNamespace(client, sidecar, namespace);
    door = new FaultyApiServer(plane.config(ControlPlane.OPERATOR));
    operator =
        new OperatorHarness(door.config(), namespace, sidecar.urlTemplate())
            .with("SEI_NODE_RPC_URL_TEMPLATE", chain.urlTemplate());
    sidecar.countFor(namespace, operator.killSwitch());
  }

  ControlPlane plane() {
    return plane;
  }

  String namespace() {
    return namespace;
  }

  KubernetesClient client() {
    return client;
  }

  SidecarSimulator sidecar() {
    return sidecar;
  }

  KubeletSimulator kubelet() {
    return kubelet;
  }

  FaultyApiServer door() {
    return door;
  }

  OperatorHarness operator() {
    return operator;
  }

  void create(String image) {
    NODES.forEach(name -> createNode(name, image));
    SeiNodeDeployment fleet = Samples.fleet(namespace, FLEET, Samples.fullNodes(3, image));
    asked(() -> client.resource(fleet).create());
  }

  void createNode(String name, String image) {
    SeiNode node = Samples.node(namespace, name, Samples.fullNode(image));
    asked(() -> client.resource(node).create());
  }

  /** Deletes a node, and creates it again once it is gone. */
  void recreateNode(String name, DeletionPropagation propagation, String image) {
    Resource<SeiNode> node = resource(SeiNode.class, name);
    asked(() -> node.withPropagationPolicy(propagation).delete());
    eventually(
        () -> {
          if (node.get() != null) {
            throw new AssertionError(name + " is still there");
          }
        });
    createNode(name, image);
  }

  /** Merge-patches an object; ' stands for ". */
  <T extends HasMetadata> void patch(Class<T> type, String name, String patch) {
    asked(
        () ->
            resource(type, name)
                .patch(PatchContext.of(PatchType.JSON_MERGE), patch.replace('\'', '"')));
  }

  SeiNodeDeployment fleet() {
    return read(SeiNodeDeployment.class, FLEET);
  }

  List<SeiNode> nodes() {
    return asked(() -> client.resources(SeiNode.class).inNamespace(namespace).list().getItems());
  }

  /** The node of a name; null if there is none. */
  SeiNode node(String name) {
    return read(SeiNode.class, name);
  }

  /** The pod of a node; null if there is none. */
  Pod pod(String node) {
    return read(Pod.class, node + "-0");
  }

  /** The claim with a node's data; null if there is none. */
  PersistentVolumeClaim claim(String node) {
    return read(PersistentVolumeClaim.class, "data-" + node);
  }

  private <T extends HasMetadata> T read(Class<T> type, String name) {
    return asked(() -> resource(type, name).get());
  }

  <T extends HasMetadata> Resource<T> resource(Class<T> type, String name) {
    return client.resources(type).inNamespace(namespace).withName(name);
  }

  /** Asks until the API server answers: it may be about to start again. */
  static <T> T asked(Callable<T> request) {
    var answer = new AtomicReference<T>();
    await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(200))
        .ignoreExceptionsMatching(SoakWorld::mayPass)
        .until(
            () -> {
              answer.set(request.call());
              return true;
            });
    return answer.get();
  }

  private static boolean mayPass(Throwable e) {
    return e instanceof KubernetesClientException failure
        && (failure.getCode() == 0 || failure.getCode() >= 500 || failure.getCode() == 429);
  }

  /** Exceptions count as not yet. */
  static void eventually(ThrowingRunnable assertion) {
    await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(100))
        .ignoreExceptions()
        .untilAsserted(assertion);
  }

  @Override
  public void close() {
    operator.close();
    door.close();
    kubelet.close();
    sidecar.close();
    chain.close();
    client.close();
  }
}
