package io.sei.operator;

import static io.sei.operator.testkit.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.OperatorProcess;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An operator of all namespaces, which would also manage the nodes of tests beside it. */
@ExclusiveControlPlane
class AllNamespacesTest extends ProcessTestCase {

  @Tag("long")
  @Test
  void startsWithoutAnyConfigurationAndManagesAllNamespaces() {
    // Ports aside: the usual ones may be taken on the machine that runs the tests.
    OperatorProcess operator = start(kubeconfig(), Map.of()).awaitReady();
    createNode("first");
    createNode(createNamespace("other"), "second");

    eventually(() -> assertThat(hasStatefulSet("first")).isTrue());
    eventually(
        () ->
            assertThat(client.apps().statefulSets().inNamespace(namespace + "-other").list())
                .satisfies(list -> assertThat(list.getItems()).hasSize(1)));
    assertThat(operator.stderr()).isEmpty();
    client.resources(SeiNode.class).inNamespace(namespace + "-other").delete();
  }

  @Test
  @Tag("long")
  void operatorWithoutShardsAndShardsOfAnotherCountWaitUntilTheLastShardIsGone() {
    List<OperatorProcess> shards = List.of(shard("0/2"), shard("1/2"));
    shards.forEach(OperatorProcess::awaitLeading);
    OperatorProcess other = shard("0/3");
    OperatorProcess whole = start(kubeconfig(), Map.of("POD_NAMESPACE", namespace)).awaitReady();
    eventually(
        () ->
            assertThat(other.log())
                .anyMatch(text -> text.contains("one-of-2-shards holds the Lease " + namespace)));

    shards.getFirst().terminate();
    assertThat(shards.getFirst().awaitExit()).isZero();
    assertThat(lease().getSpec().getHolderIdentity()).isEqualTo("one-of-2-shards");
    assertThat(whole.isLeading()).isFalse();
    whole.terminate();
    whole.awaitExit();
    shards.getLast().kill();

    other.awaitLeading();
    assertThat(lease().getSpec().getHolderIdentity()).isEqualTo("one-of-3-shards");
    assertThat(client.leases().inNamespace(namespace).withName(LEASE + "-0").get()).isNotNull();
  }

  private OperatorProcess shard(String shard) {
    return start(kubeconfig(), Map.of("SEI_SHARD", shard, "POD_NAMESPACE", namespace));
  }
}
