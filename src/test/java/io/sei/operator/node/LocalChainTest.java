package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.ThrowAwayKeys;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The sample of a private chain, with its ConfigMap and its Secrets. */
class LocalChainTest extends NodeTestCase {

  private static final String VALIDATOR = "local-validator";
  private static final String RPC = "local-rpc";

  @Test
  void nodesOfTheSampleBeginWithOneGenesisAndKnowEachOther() throws IOException {
    client.resource(genesis()).create();
    client.resource(ThrowAwayKeys.signingKey("local-signing-key")).inNamespace(namespace).create();
    client.resource(ThrowAwayKeys.nodeKey("local-node-key")).inNamespace(namespace).create();

    for (HasMetadata node : sample()) {
      client.resource(node).inNamespace(namespace).create();
    }

    eventually(() -> assertUpToDate(VALIDATOR));
    eventually(() -> assertUpToDate(RPC));
    eventually(
        () ->
            assertThat(read(SeiNode.class, RPC).getStatus().resolvedPeers())
                .containsExactly(
                    "%1$s@%2$s-0.%2$s.%3$s.svc.cluster.local:26656"
                        .formatted(ThrowAwayKeys.nodeId("local-node-key"), VALIDATOR, namespace)));
    assertThat(sidecar.executions(namespace, VALIDATOR, "configure-genesis")).isZero();
    assertThat(sidecar.executions(namespace, RPC, "configure-genesis")).isZero();
  }

  private HasMetadata genesis() {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName("local-1-genesis")
        .withNamespace(namespace)
        .endMetadata()
        .addToData("genesis.json", "{\"chain_id\":\"local-1\"}")
        .build();
  }

  private List<HasMetadata> sample() throws IOException {
    try (InputStream file = Files.newInputStream(Path.of("manifests/samples/local-chain.yaml"))) {
      return client.load(file).items();
    }
  }

  private void assertUpToDate(String name) {
    SeiNode node = read(SeiNode.class, name);
    assertThat(node.getStatus()).isNotNull();
    for (var type : List.of(NodeConditionType.UP_TO_DATE, NodeConditionType.GENESIS_READY)) {
      assertThat(Conditions.find(node.getStatus().conditions(), type))
          .hasValueSatisfying(
              condition -> assertThat(condition.status()).isEqualTo(ConditionStatus.TRUE));
    }
  }
}
