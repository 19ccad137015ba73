package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.config.Shard;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.OperatorHarness;
import io.sei.operator.testkit.RequestLog;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three operators, each with its part of the namespaces; the first has the test's own. */
@ExclusiveControlPlane
class ShardsTest extends ValidatorTestCase {

  private static final int COUNT = 3;

  private final List<String> namespaces = new ArrayList<>();
  private final List<OperatorHarness> shards = new ArrayList<>();
  private final List<KubeletSimulator> kubelets = new ArrayList<>();

  @Override
  protected void startOperator() {
    int first = shardOf(namespace).index();
    for (int i = 0; i < COUNT; i++) {
      var shard = new Shard((first + i) % COUNT, COUNT);
      namespaces.add(i == 0 ? namespace : namespaceOf(shard));
      shards.add(operatorOf(shard));
    }
    operator = shards.getFirst();
    shards.forEach(OperatorHarness::start);
  }

  private static Shard shardOf(String namespace) {
    return List.of(new Shard(0, COUNT), new Shard(1, COUNT), new Shard(2, COUNT)).stream()
        .filter(shard -> shard.owns(namespace))
        .findFirst()
        .orElseThrow();
  }

  private String namespaceOf(Shard shard) {
    String name = namespace + "-x";
    while (!shard.owns(name)) {
      name += "x";
    }
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
    kubelets.add(KubeletSimulator.inNamespace(client, sidecar, name));
    return name;
  }

  private OperatorHarness operatorOf(Shard shard) {
    return anotherOperator(controlPlane.config(ControlPlane.OPERATOR))
        .with("SEI_WATCH_NAMESPACES", "")
        .with("SEI_SHARD", "%d/%d".formatted(shard.index(), COUNT))
        .with("SEI_SIGNING_SCOPE", "Cluster");
  }

  @AfterEach
  void close() {
    shards.forEach(OperatorHarness::close);
    kubelets.forEach(KubeletSimulator::close);
    namespaces.forEach(
        namespace -> {
          client.resources(SeiNodeDeployment.class).inNamespace(namespace).delete();
          client.resources(SeiNode.class).inNamespace(namespace).delete();
        });
    client.resources(SeiSigningKey.class).delete();
  }

  @Test
  void eachManagesItsNamespacesAndOneThatDiesIsReplacedByNobody() {
    namespaces.forEach(namespace -> create(namespace, "node", spec(A)));
    namespaces.forEach(
        namespace -> eventually(() -> assertThat(statefulSet(namespace, "node")).isNotNull()));

    for (int i = 0; i < COUNT; i++) {
      // Namespaces of other tests belong to one of the shards as well.
      for (String namespace : namespaces) {
        boolean isOwn = namespace.equals(namespaces.get(i));
        assertThat(writes(shards.get(i), namespace)).as(namespace).isEqualTo(isOwn);
        assertThat(shards.get(i).scrape().contains("namespace=\"" + namespace + "\""))
            .as(namespace)
            .isEqualTo(isOwn);
      }
    }
    shards.get(1).stop();
    namespaces.forEach(namespace -> create(namespace, "later", spec(A)));

    eventually(() -> assertThat(statefulSet(namespaces.get(0), "later")).isNotNull());
    eventually(() -> assertThat(statefulSet(namespaces.get(2), "later")).isNotNull());
    assertThat(statefulSet(namespaces.get(1), "later")).isNull();
    shards.get(1).start();
    eventually(() -> assertThat(statefulSet(namespaces.get(1), "later")).isNotNull());
  }

  private static boolean writes(OperatorHarness shard, String namespace) {
    return shard.requests().matching(RequestLog.Request::isWrite).stream()
        .anyMatch(request -> request.path().contains("/namespaces/" + namespace + "/"));
  }

  /** An uninstall leaves only the CRDs of the operator, and their objects. */
  @Tag("long")
  @Test
  void keyHasOneSignerInAllShardsAndItsRecordOutlivesThem() {
    putOwnKey(namespaces.get(0), KEY);
    createValidator("alice");
    awaitRunning("alice");
    putOwnKey(namespaces.get(1), "another-name");
    client.resource(ThrowAwayKeys.nodeKey("identity-bob")).inNamespace(namespaces.get(1)).create();
    create(namespaces.get(1), "bob", spec(keys("another-name", "identity-bob", null)));
    eventually(() -> assertThat(isRefused(bob())).isTrue());

    shards.forEach(OperatorHarness::stop);
    client.resource(node("alice")).delete();
    // The garbage collector may take half a minute to know the kind of its owner.
    client.apps().statefulSets().inNamespace(namespaces.get(0)).withName("alice").delete();
    eventually(() -> assertThat(pod("alice")).isNull());
    shards.forEach(OperatorHarness::start);
    patch(bob(), "{'metadata':{'annotations':{'sei.io/retry':'1'}}}");

    eventually(
        () ->
            assertThat(bob().getStatus().conditions())
                .anyMatch(
                    condition -> condition.message().contains("kubectl patch seisigningkey")));
    assertThat(isRefused(bob())).isTrue();
    SeiSigningKey record = client.resources(SeiSigningKey.class).list().getItems().getFirst();
    patch(
        record,
        // No shard ran when the pod of alice ended, so that a person has to say so.
        "{'spec':{'transferTo':{'namespace':'%s','node':'bob'},'endedPodUid':'%s'}}"
            .formatted(namespaces.get(1), record.getSpec().holder().podUid()));
    eventually(() -> assertThat(holder().namespace()).isEqualTo(namespaces.get(1)));
    patch(
        bob(),
        "{'spec':{'validator':{'acceptSigningStateLoss':'%s'}}}".formatted(holder().since()));
    eventually(() -> assertThat(readIn(namespaces.get(1), Pod.class, "bob-0")).isNotNull());
  }

  private SeiSigningKeySpec.Holder holder() {
    return client.resources(SeiSigningKey.class).list().getItems().getFirst().getSpec().holder();
  }

  private SeiNode bob() {
    return readIn(namespaces.get(1), SeiNode.class, "bob");
  }

  private static boolean isRefused(SeiNode node) {
    return Conditions.find(node.getStatus().conditions(), NodeConditionType.SIGNING_KEY_READY)
        .filter(condition -> condition.status() == ConditionStatus.FALSE)
        .isPresent();
  }

  @Tag("long")
  @Test
  void nodeFindsPeersOfAnotherShard() {
    String elsewhere = namespaces.get(1);
    SeiNode peer = Samples.node(elsewhere, "peer", spec(A));
    peer.getMetadata().setLabels(Map.of("fleet", "x", "sei.io/peers-from", namespace));
    client.resource(peer).create();
    eventually(() -> assertThat(statefulSet(elsewhere, "peer")).isNotNull());

    create(
        namespace,
        "node",
        ConfigTestCase.specOf(
            "'fullNode':{},'peers':[{'label':{'namespace':'%s','selector':{'fleet':'x'}}}]"
                .formatted(elsewhere)));

    eventually(
        () ->
            assertThat(readIn(namespace, SeiNode.class, "node").getStatus().resolvedPeers())
                .hasSize(1));
  }

  private void create(String namespace, String name, SeiNodeSpec spec) {
    client.resource(Samples.node(namespace, name, spec)).create();
  }

  private StatefulSet statefulSet(String namespace, String name) {
    return readIn(namespace, StatefulSet.class, name);
  }
}
