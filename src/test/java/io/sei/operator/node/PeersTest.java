package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.SidecarVersion;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes that find their peers by the labels of other nodes. */
class PeersTest extends ConfigTestCase {

  private static final String DISCOVER_PEERS = SidecarTaskTypes.DISCOVER_PEERS;
  private static final String SET_PEERS =
      "config-apply {'incremental':true,'overrides':{'network.p2p.persistent_peers':";
  private static final Map<String, String> LABELS = Map.of("fleet", "x");
  private static final SeiNodeSpec BY_LABEL =
      specOf("'fullNode':{},'peers':[{'label':{'selector':{'fleet':'x'}}}]");

  private static final String CHAIN = "atlantic-2";
  private static final SeiNodeSpec VALIDATOR =
      specOf(
          "'validator':{'signingKey':{'secret':{'secretName':'signing'}},"
              + "'nodeKey':{'secret':{'secretName':'identity'}}}");

  @Test
  void nodesThatStartTogetherKnowEachOtherAndEachIsAskedOnce() {
    List<String> names = List.of("a", "b", "c");
    // A node waits for its peers for some seconds only, and one pod may start later than another.
    sidecar.faultsOfAll().hold(SidecarTaskTypes.CONFIG_APPLY);
    names.forEach(name -> create(namespace, name, BY_LABEL, LABELS));
    eventually(() -> assertThat(names).allMatch(this::isBeingConfigured));
    sidecar.faultsOfAll().release(SidecarTaskTypes.CONFIG_APPLY);

    names.forEach(name -> awaitRunning(namespace, name));
    for (String name : names) {
      String[] others =
          names.stream()
              .filter(other -> !other.equals(name))
              .map(other -> peer(namespace, other))
              .sorted()
              .toArray(String[]::new);
      // A peer that is Ready by then comes first.
      assertThat(discovered(name))
          .singleElement()
          .isIn(discoverPeers(others), discoverPeers(others[1], others[0]));
      eventually(() -> assertThat(resolved(name)).containsExactly(others));
      assertThat(sidecar.requests(namespace, name))
          .filteredOn(request -> request.is("GET", "/v0/node-id") && request.status() == 200)
          .hasSize(1);
      assertThat(get(namespace, name).getStatus().planHistory()).hasSize(1);
    }
  }

  @Tag("long")
  @Test
  void peerThatIsNotThereIsLeftOutAndBroughtInLaterWithoutARestart() {
    create(namespace, "late", spec(A).withPaused(true), LABELS);
    create(BY_LABEL);
    awaitUpToDate(A);
    assertThat(discovered(NODE)).isEmpty();
    assertThat(node().getStatus().resolvedPeers()).isNull();
    int tasks = submitted().size();

    patch(get(namespace, "late"), "{'spec':{'paused':false}}");
    awaitRunning(namespace, "late");

    eventually(() -> assertThat(resolved(NODE)).containsExactly(peer(namespace, "late")));
    eventually(
        Duration.ofSeconds(90),
        () ->
            assertThat(submittedAfter(tasks))
                .containsExactly(
                    discoverPeers(peer(namespace, "late")), SidecarTaskTypes.CONFIG_VALIDATE));
    awaitUpToDate(A);
    assertThat(images()).containsExactly(A);
    assertThat(podDeletes()).isZero();
  }

  /** The node cannot have a block, and seid reads its peers only at its start. */
  @Tag("long")
  @Test
  void nodeThatBeganWithoutPeersIsRestartedOnceTheyAppear() {
    sidecar.version(SidecarVersion.V0_0_70);
    chain.chain().at(0, Instant.now()).peers(0);
    kubelet.inject(namespace, POD, PodFault.NO_BLOCK);
    create(namespace, "late", spec(A).withPaused(true), LABELS);
    create(BY_LABEL);
    awaitRunning(namespace, NODE);
    assertThat(discovered(NODE)).isEmpty();

    patch(get(namespace, "late"), "{'spec':{'paused':false}}");

    eventually(
        () -> assertThat(executions(SidecarTaskTypes.RESTART_SEID)).as("restarts").isEqualTo(1));
    assertThat(discovered(NODE)).containsExactly(discoverPeers(peer(namespace, "late")));
    kubelet.clear(namespace, POD);
    awaitUpToDate(A);
    assertThat(images()).containsExactly(A);
    stays(() -> assertThat(executions(SidecarTaskTypes.RESTART_SEID)).isEqualTo(1));
  }

  @Tag("long")
  @Test
  void peerThatIsGoneOrHasOtherLabelsIsNoPeerAnyMore() {
    for (String name : List.of("a", "b")) {
      create(namespace, name, spec(A), LABELS);
      awaitRunning(namespace, name);
    }
    create(BY_LABEL);
    awaitUpToDate(A);
    eventually(
        () ->
            assertThat(resolved(NODE))
                .containsExactlyInAnyOrder(peer(namespace, "a"), peer(namespace, "b")));

    client.resource(get(namespace, "a")).delete();

    eventually(() -> assertThat(resolved(NODE)).containsExactly(peer(namespace, "b")));

    patch(get(namespace, "b"), "{'metadata':{'labels':{'fleet':'y'}}}");

    eventually(() -> assertThat(node().getStatus().resolvedPeers()).isNull());

    patch(get(namespace, "b"), "{'metadata':{'labels':{'fleet':'x'}}}");

    eventually(() -> assertThat(resolved(NODE)).containsExactly(peer(namespace, "b")));
  }

  @Tag("long")
  @Test
  void peersAreCapturedSoThatARestartOfTheOperatorHandsOverTheSame() {
    create(namespace, "first", spec(A), LABELS);
    awaitRunning(namespace, "first");
    sidecarFaults().hold(SidecarTaskTypes.CONFIG_VALIDATE);
    create(BY_LABEL);
    eventually(() -> assertThat(executions(SidecarTaskTypes.CONFIG_VALIDATE)).isEqualTo(1));
    var captured =
        plan().tasks().stream()
            .filter(task -> task.type().equals(DISCOVER_PEERS))
            .findFirst()
            .orElseThrow();
    assertThat(captured.params().toString()).contains(peer(namespace, "first"));

    operator.restart();
    sidecarFaults().release(SidecarTaskTypes.CONFIG_VALIDATE);

    awaitUpToDate(A);
    assertThat(discovered(NODE)).containsExactly(discoverPeers(peer(namespace, "first")));
    assertThat(submittedIds()).contains(captured.id());
    // The restarted operator has asked anew, and what it hears may come after the end of the plan.
    eventually(() -> assertThat(resolved(NODE)).containsExactly(peer(namespace, "first")));
    operator.restart();
    stays(
        () -> {
          assertThat(resolved(NODE)).containsExactly(peer(namespace, "first"));
          assertThat(plan()).isNull();
        });
  }

  @Test
  void peersOfAnotherNamespaceAreFoundIfItIsNamedAndTheyConsent() {
    String other = namespace + "-other";
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(other).endMetadata().build())
        .create();
    operator.stop();
    operator.with("SEI_WATCH_NAMESPACES", namespace + "," + other).start();
    try (var farKubelet = KubeletSimulator.inNamespace(client, sidecar, other)) {
      create(other, "far", spec(A).withExternalAddress("far.example:26656"), LABELS);
      create(namespace, "near", spec(A), LABELS);
      awaitRunning(other, "far");
      SeiNodeSpec seeking =
          specOf(
              "'fullNode':{},'peers':[{'label':{'selector':{'fleet':'x'},'namespace':'%s'}}]"
                  .formatted(other));
      create(seeking);
      awaitUpToDate(A);
      assertThat(node().getStatus().resolvedPeers()).isNull();
      assertThat(discovered(NODE)).isEmpty();
      String address = SidecarSimulator.nodeId(other, "far") + "@far.example:26656";

      consent(other, namespace);
      create(namespace, "later", seeking, null);
      awaitRunning(namespace, "later");
      assertThat(discovered("later")).containsExactly(discoverPeers(address));
      eventually(() -> assertThat(resolved("later")).containsExactly(address));

      consent(other, "nobody");
      patch(get(namespace, "later"), "{'metadata':{'annotations':{'sei.io/explain':'now'}}}");
      eventually(() -> assertThat(resolved("later")).isNull());
    }
  }

  private void consent(String of, String namespace) {
    patch(
        get(of, "far"), "{'metadata':{'labels':{'sei.io/peers-from':'%s'}}}".formatted(namespace));
  }

  /** Seid has the key of the Secret, and the sidecar tells the id of another one. */
  @Tag("long")
  @Test
  void validatorWithItsNodeKeyInASecretIsKnownByThatKey() {
    create(BY_LABEL);
    awaitUpToDate(A);
    createKeys();

    create(namespace, "late", VALIDATOR, LABELS);
    awaitRunning(namespace, "late");

    eventually(() -> assertThat(resolved(NODE)).containsExactly(ofSecret("late")));
    create(namespace, "later", BY_LABEL, Map.of());
    awaitRunning(namespace, "later");
    assertThat(discovered("later")).containsExactly(discoverPeers(ofSecret("late")));
    assertThat(get(namespace, "late").getStatus().nodeId())
        .isEqualTo(ThrowAwayKeys.nodeId("identity"));
    assertThat(sidecar.requests(namespace, "late"))
        .noneMatch(request -> request.is("GET", "/v0/node-id"));
  }

  @Tag("long")
  @Test
  void validatorOfTheGoOperatorIsLookedAtOnce() {
    createKeys();
    create(namespace, "first", VALIDATOR, LABELS);
    awaitRunning(namespace, "first");
    create(BY_LABEL);
    awaitUpToDate(A);
    operator.stop();
    patchStatus(get(namespace, "first"), "{'status':{'nodeId':null}}");
    patchStatus(node(), "{'status':{'resolvedPeers':['%s']}}".formatted(peer(namespace, "first")));
    String nodeKey = "/secrets/" + VALIDATOR.validator().nodeKey().secret().secretName();
    int before = requests("GET", nodeKey).size();

    operator.start();

    eventually(
        () ->
            assertThat(get(namespace, "first").getStatus().nodeId())
                .isEqualTo(ThrowAwayKeys.nodeId("identity")));
    stays(() -> assertThat(requests("GET", nodeKey)).hasSize(before + 1));
    eventually(() -> assertThat(resolved(NODE)).containsExactly(ofSecret("first")));
  }

  @Tag("long")
  @Test
  void nodesOfTheChainAreFoundWithoutAFleetAndOthersNever() {
    create(namespace, "alone", spec(A), null);
    create(namespace, "other", spec(A).withChainId("arctic-1"), Map.of("sei.io/chain", CHAIN));
    awaitRunning(namespace, "alone");
    awaitRunning(namespace, "other");

    create(
        specOf("'fullNode':{},'peers':[{'label':{'selector':{'sei.io/chain':'" + CHAIN + "'}}}]"));

    awaitUpToDate(A);
    assertThat(discovered(NODE)).containsExactly(discoverPeers(peer(namespace, "alone")));
    eventually(() -> assertThat(resolved(NODE)).containsExactly(peer(namespace, "alone")));
  }

  private void createKeys() {
    Samples.keysOf(VALIDATOR.validator())
        .forEach(secret -> client.resource(secret).inNamespace(namespace).create());
  }

  private String ofSecret(String name) {
    return "%s@%s-0.%s.%s.svc.cluster.local:26656"
        .formatted(ThrowAwayKeys.nodeId("identity"), name, name, namespace);
  }

  private void create(
      String inNamespace, String name, SeiNodeSpec spec, Map<String, String> labels) {
    var node = Samples.node(inNamespace, name, spec);
    node.getMetadata().setLabels(labels);
    client.resource(node).create();
  }

  private SeiNode get(String inNamespace, String name) {
    return readIn(inNamespace, SeiNode.class, name);
  }

  private boolean isBeingConfigured(String name) {
    return sidecar.executions(namespace, name, SidecarTaskTypes.CONFIG_APPLY) == 1;
  }

  private void awaitRunning(String inNamespace, String name) {
    eventually(
        () -> assertThat(get(inNamespace, name).getStatus().phase()).isEqualTo(NodePhase.RUNNING));
  }

  private List<String> resolved(String name) {
    return get(namespace, name).getStatus().resolvedPeers();
  }

  private List<String> discovered(String name) {
    return submittedTo(name).stream()
        .filter(task -> task.startsWith(SET_PEERS.replace('\'', '"')))
        .toList();
  }

  private static String peer(String namespace, String name) {
    return "%s@%s-0.%s.%s.svc.cluster.local:26656"
        .formatted(SidecarSimulator.nodeId(namespace, name), name, name, namespace);
  }

  private static String discoverPeers(String... addresses) {
    return task(SET_PEERS + "'" + String.join(",", addresses) + "'}}");
  }
}
