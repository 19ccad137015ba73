package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import org.junit.jupiter.api.Test;

/** A node of a private chain, whose genesis is in a ConfigMap. */
class GivenGenesisOnClusterTest extends ConfigTestCase {

  private static final String CHAIN = "{\"chain_id\":\"%s\"}";

  @Test
  void nodeBeginsWithTheGenesisOfItsChainAndGoesOnWithoutTheConfigMap() {
    putGenesis("lab-2");
    create(specOf("'fullNode':{},'genesis':{'configMap':{'name':'chain'}}"));
    awaitStalled(StallReason.GENESIS_MISMATCH);
    assertCondition(
        NodeConditionType.GENESIS_READY, ConditionStatus.FALSE, StallReason.GENESIS_MISMATCH);
    assertThat(pod()).isNull();

    putGenesis("atlantic-2");

    awaitUpToDate(A);
    awaitCondition(NodeConditionType.GENESIS_READY, ConditionStatus.TRUE, "GenesisInstalled");
    assertThat(submitted()).doesNotContain("configure-genesis").contains("config-validate");

    client.configMaps().inNamespace(namespace).withName("chain").delete();
    setImage(B);

    awaitUpToDate(B);
  }

  private void putGenesis(String chain) {
    ConfigMap genesis =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("chain")
            .withNamespace(namespace)
            .endMetadata()
            .addToData("genesis.json", CHAIN.formatted(chain))
            .build();
    client.resource(genesis).createOr(operation -> operation.update());
  }
}
