package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.ChainSimulator.Fault;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Reports the chain's plan on its nodes, and acts on none. */
class ChainPlanTest extends RolloutTestCase {

  @Test
  void unlistedPlanIsToldUntilItIsListed() {
    chain.chain().at(50, Instant.now()).plan("v2", 100, "");
    createRunning();

    awaitCondition(NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.NOT_LISTED);
    assertThat(condition(NodeConditionType.UPGRADES_READY).message())
        .contains("\"v2\" at height 100", "list it");
    assertThat(node().getStatus().reason()).isEqualTo("NotListed");
    assertThat(operator.scrape())
        .contains(
            "sei_chain_height{chain=\"atlantic-2\",namespace=\"%s\"} 50".formatted(namespace),
            "sei_chain_upgrade_height{chain=\"atlantic-2\",namespace=\"%s\",upgrade=\"v2\"} 100"
                .formatted(namespace),
            "sei_node_upgrades_not_ready{name=\"node\",namespace=\"%s\",reason=\"NotListed\"} 1"
                .formatted(namespace));
    assertThat(
            client
                .resources(SeiNode.class)
                .inNamespace(namespace)
                .withLabels(Map.of("sei.io/chain", "atlantic-2", "sei.io/role", "node"))
                .list()
                .getItems())
        .as("a node that no fleet has made is selected as those of fleets are")
        .hasSize(1);
    String before = podUid();

    patch("{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}".formatted(B));

    awaitCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.TRUE, NodeReason.UPGRADES_PENDING);
    eventually(() -> assertThat(node().getStatus().reason()).isEqualTo("PodReady"));
    eventually(() -> assertThat(events("UpgradeNotListed")).hasSize(1));
    assertThat(podUid()).isEqualTo(before);
    assertThat(images()).containsExactly(A);
  }

  @Test
  void whatWasToldOutlivesARestartAfterWhichNobodyAnswers() {
    chain.chain().at(50, Instant.now()).plan("v2", 100, "");
    createRunning();
    awaitCondition(NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.NOT_LISTED);

    chain.fault(namespace, NODE, Fault.ENDLESS);
    operator.restart();
    eventually(() -> assertThat(chain.asked()).hasSize(2));
    awaitAnotherLook();

    assertCondition(NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.NOT_LISTED);
    assertThat(occurrences("UpgradeNotListed")).isEqualTo(1);
  }
}
