package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.UpgradeState;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** A listed upgrade whose height comes without a plan of the chain. */
class PassedUpgradeTest extends NodeTestCase {

  @Test
  void anUpgradeWhoseHeightHasPassedWithoutAPlanIsSaid() {
    chain.chain().at(120, Instant.now());
    createRunning();
    patch("{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}".formatted(B));

    eventually(() -> assertThat(state()).isEqualTo(UpgradeState.PASSED));
    assertCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.TRUE, NodeReason.UPGRADE_PASSED);
    assertThat(condition(NodeConditionType.UPGRADES_READY).message())
        .isEqualTo(
            "the chain is past height 100 of upgrade \"v2\" and has no such plan; remove the entry"
                + " from spec.upgrades unless another node has yet to reach that height, or correct"
                + " its name");
    operator.restart();
    annotate("touched", "yes");
    awaitAnotherLookAtNodes();
    assertThat(state()).isEqualTo(UpgradeState.PASSED);

    patch("{'spec':{'upgrades':[{'name':'v2','height':900,'image':'%s'}]}}".formatted(B));

    eventually(() -> assertThat(state()).isNotEqualTo(UpgradeState.PASSED));
  }

  private UpgradeState state() {
    return node().getStatus().upgrades() == null
        ? null
        : node().getStatus().upgrades().getFirst().state();
  }
}
