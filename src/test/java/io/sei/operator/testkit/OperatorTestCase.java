package io.sei.operator.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import io.sei.operator.testkit.samples.Samples;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The operator on a real control plane with simulated kubelet and sidecars, and a namespace. */
@RealControlPlane
@Execution(ExecutionMode.CONCURRENT)
public abstract class OperatorTestCase {

  protected static final String A = "sei:a";
  protected static final String B = "sei:b";
  protected static final String C = "sei:c";

  /** Kinds that the garbage collector hears of: in order for one kind, but not for two. */
  private static final String OF_EACH_KIND =
      """
      apiVersion: v1
      kind: ConfigMap
      ---
      apiVersion: v1
      kind: Service
      spec: {clusterIP: None, ports: [{port: 1}]}
      ---
      apiVersion: v1
      kind: PersistentVolumeClaim
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
      ---
      apiVersion: apps/v1
      kind: StatefulSet
      spec:
        replicas: 0
        serviceName: sentinel
        selector: {matchLabels: {sentinel: "yes"}}
        template:
          metadata: {labels: {sentinel: "yes"}}
          spec: {containers: [{name: none, image: none}]}
      """;

  protected ControlPlane controlPlane;
  protected KubernetesClient client;
  protected String namespace;
  protected SidecarSimulator sidecar;
  protected ChainSimulator chain;
  protected KubeletSimulator kubelet;
  protected OperatorHarness operator;

  /** Proxy between the operator and the API server; null unless a test asks for it. */
  protected FaultyApiServer door;

  @BeforeEach
  void prepare(ControlPlane controlPlane, TestNamespace namespace) throws Exception {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    this.namespace = namespace.name();
    sidecar = new SidecarSimulator();
    chain = new ChainSimulator();
    sidecar.broadcast(chain.chain()::include);
    kubelet = KubeletSimulator.inNamespace(client, sidecar, this.namespace);
    startOperator();
  }

  /** Starts the one that a test begins with. */
  protected void startOperator() throws Exception {
    operatorAs(controlPlane.config(ControlPlane.OPERATOR)).start();
  }

  /** Replaces the operator by one of this user, which is still to be started. */
  protected OperatorHarness operatorAs(Config user) {
    if (operator != null) {
      operator.close();
    }
    operator = anotherOperator(user);
    return operator;
  }

  /** Returns the operator with a proxy between it and the API server. */
  protected OperatorHarness operatorBehindADoor() {
    door = new FaultyApiServer(controlPlane.config(ControlPlane.OPERATOR));
    return operatorAs(door.config());
  }

  /** One beside it, which is still to be started. */
  protected OperatorHarness anotherOperator(Config user) {
    return new OperatorHarness(user, namespace, sidecar.urlTemplate())
        .with("SEI_NODE_RPC_URL_TEMPLATE", chain.urlTemplate());
  }

  /** Leaves objects behind: the namespace is never used again, and no controller acts in it. */
  @AfterEach
  void cleanUp() {
    if (door != null) {
      door.heal();
      door.releaseWatches();
    }
    operator.close();
    if (door != null) {
      door.close();
    }
    kubelet.close();
    sidecar.close();
    chain.close();
  }

  /** A full node with this image. */
  protected static SeiNodeSpec spec(String image) {
    return Samples.fullNode(image);
  }

  /** Merge-patches an object, as {@code kubectl patch --type merge} does; ' stands for ". */
  protected void patch(HasMetadata object, String patch) {
    client.resource(object).patch(PatchContext.of(PatchType.JSON_MERGE), patch.replace('\'', '"'));
  }

  /** Patches the status, which is a subresource. */
  protected void patchStatus(HasMetadata object, String patch) {
    client
        .resource(object)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch.replace('\'', '"'));
  }

  /** The object of the namespace, or null. */
  protected <T extends HasMetadata> T read(Class<T> type, String name) {
    return readIn(namespace, type, name);
  }

  /** Reads an object in another namespace. */
  protected <T extends HasMetadata> T readIn(String other, Class<T> type, String name) {
    return Looks.get(controlPlane, type, other, name);
  }

  /** All objects of the namespace, by name. */
  protected <T extends HasMetadata> List<T> readAll(Class<T> type) {
    return Looks.list(controlPlane, type, namespace);
  }

  /** Events about the object of a name. */
  protected List<Event> eventsOf(String name) {
    return readAll(Event.class).stream()
        .filter(event -> event.getInvolvedObject().getName().equals(name))
        .toList();
  }

  /** Events about the object of a name, with this reason. */
  protected List<Event> events(String name, String reason) {
    return eventsOf(name).stream().filter(event -> event.getReason().equals(reason)).toList();
  }

  /** {@link Looks#eventually}, for as long as every wait of a test. */
  protected static void eventually(ThrowingRunnable assertion) {
    eventually(Patience.PATIENCE, assertion);
  }

  /** Waits with this much patience. */
  protected static void eventually(Duration atMost, ThrowingRunnable assertion) {
    Looks.eventually(atMost, assertion);
  }

  /** {@link Patience#eventuallySeldom}. */
  protected static void eventuallySeldom(ThrowingRunnable assertion) {
    Patience.eventuallySeldom(assertion);
  }

  /**
   * Asserts that a state holds, and still does when the operator has reconciled everything in the
   * namespace twice again, by which time its own acts are done. Costs a status write for each
   * reconcile.
   */
  protected void stays(ThrowingRunnable assertion) {
    check(assertion);
    for (int look = 0; look < 2; look++) {
      awaitAnotherLook();
      check(assertion);
    }
  }

  /**
   * Has the operator look at every fleet and node anew, and waits until it has concluded each.
   * Where there is none, or no operator, what is left is the garbage collector's, and that is
   * waited for.
   */
  protected void awaitAnotherLook() {
    int looks = operator.isRunning() ? awaitAnotherLookAtFleets() + awaitAnotherLookAtNodes() : 0;
    if (looks == 0) {
      awaitGarbageCollector();
    }
  }

  /** Waits for the reconciles of all fleets; returns their number. */
  protected int awaitAnotherLookAtFleets() {
    return awaitAnswers(SeiNodeDeployment.class, fleet -> fleet.getStatus().explain());
  }

  /** Waits for the reconciles of all nodes; returns their number. */
  protected int awaitAnotherLookAtNodes() {
    return awaitAnswers(SeiNode.class, node -> node.getStatus().explain());
  }

  private <T extends HasMetadata> int awaitAnswers(Class<T> type, Function<T, Explanation> answer) {
    String request = UUID.randomUUID().toString();
    List<T> asked =
        client.resources(type).inNamespace(namespace).list().getItems().stream()
            .filter(object -> !object.isMarkedForDeletion())
            .toList();
    asked.forEach(
        object ->
            patch(
                object,
                "{'metadata':{'annotations':{'%s':'%s'}}}"
                    .formatted(Annotations.EXPLAIN, request)));
    eventually(
        () ->
            assertThat(asked)
                .extracting(object -> read(type, object.getMetadata().getName()))
                .allMatch(object -> answer.apply(object).request().equals(request)));
    return asked.size();
  }

  /** Waits until the garbage collector has taken away what was orphaned after all else here. */
  protected void awaitGarbageCollector() {
    ConfigMap owner =
        client.resource(new ConfigMapBuilder().withMetadata(sentinel().build()).build()).create();
    List<HasMetadata> owned =
        client.load(new ByteArrayInputStream(OF_EACH_KIND.getBytes(UTF_8))).items().stream()
            .map(object -> create(object, owner))
            .toList();
    client.resource(owner).delete();
    eventually(() -> assertThat(owned).allMatch(object -> client.resource(object).get() == null));
  }

  private HasMetadata create(HasMetadata object, ConfigMap owner) {
    object.setMetadata(ownedBy(owner));
    return client.resource(object).create();
  }

  private ObjectMeta ownedBy(ConfigMap owner) {
    return sentinel()
        .addNewOwnerReference()
        .withApiVersion("v1")
        .withKind("ConfigMap")
        .withName(owner.getMetadata().getName())
        .withUid(owner.getMetadata().getUid())
        .endOwnerReference()
        .build();
  }

  private ObjectMetaBuilder sentinel() {
    return new ObjectMetaBuilder().withGenerateName("sentinel-").withNamespace(namespace);
  }

  private static void check(ThrowingRunnable assertion) {
    try {
      Looks.now(assertion);
    } catch (Error | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
