package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.testkit.ChainSimulator.Fault;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.SidecarVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A node that stops at a height is well there, however far its peers go. */
class FrozenNodeTest extends ConfigTestCase {

  @Test
  void nodeIsFrozenAtItsHeightAndStaysSoWhateverElseIsConfigured() {
    sidecar.version(SidecarVersion.V0_0_70);
    chain.fault(namespace, NODE, Fault.CATCHING_UP);
    chain.chain().at(98, Instant.EPOCH).furthest(5000).peers(4);
    create(specOf("'archive':{'freeze':{'height':100}},'overrides':{'mempool.size':'10'}"));
    awaitUpToDate(A);
    assertThat(pod().getMetadata().getLabels()).containsEntry("sei.io/frozen", "true");
    assertFreezes();
    eventuallySeldom(() -> assertThat(gauges("sei_node_lag_blocks")).containsExactly(4902.0));
    operator.clock().jumpTo(Duration.ofMinutes(2));
    awaitCondition(NodeConditionType.CAUGHT_UP, ConditionStatus.FALSE, NodeReason.CATCHING_UP);

    chain.chain().standAt(99);

    eventuallySeldom(() -> assertThat(gauges("sei_node_height")).containsExactly(99.0));
    operator.clock().jumpTo(Duration.ofMinutes(30));
    awaitCondition(NodeConditionType.CAUGHT_UP, ConditionStatus.TRUE, NodeReason.FROZEN);
    assertThat(gauges("sei_node_lag_blocks")).isEmpty();
    assertThat(gauges("sei_node_frozen")).containsExactly(1.0);
    assertThat(why()).contains("Frozen", "freeze.height", "Nothing is wrong with it.");

    patch("{'spec':{'overrides':null}}");

    eventually(
        () ->
            assertThat(sidecar.home(namespace, NODE).settings()).doesNotContainKey("mempool.size"));
    awaitUpToDate(A);
    assertFreezes();
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
  }

  private void assertFreezes() {
    assertThat(sidecar.home(namespace, NODE).setting("app.toml", "freeze-height"))
        .contains("100.0");
  }

  private String why() {
    return new KubectlSei(controlPlane, namespace).run("why", "snode/" + NODE).stdout();
  }

  private List<Double> gauges(String name) {
    return operator
        .scrape()
        .lines()
        .filter(line -> line.startsWith(name + "{"))
        .map(line -> Double.valueOf(line.substring(line.lastIndexOf(' '))))
        .toList();
  }
}
