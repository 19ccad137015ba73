package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.testkit.ChainSimulator.Fault;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.RequestLog.Request;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node says how it stands to its chain, when that changes and at no other time. */
class CaughtUpOnClusterTest extends RolloutTestCase {

  private static final NodeConditionType TYPE = NodeConditionType.CAUGHT_UP;

  private Duration jumped = Duration.ZERO;

  @Tag("long")
  @Test
  void nodeAtHeightZeroIsNotCalledWellAndNewBlocksAreNotWritten() {
    chain.chain().at(0, Instant.EPOCH).peers(0);
    chain.fault(namespace, NODE, Fault.CATCHING_UP);
    create(spec(A));
    awaitUpToDate(A);
    letItLastAt(0);
    awaitCondition(TYPE, ConditionStatus.FALSE, NodeReason.NO_PEERS);
    assertThat(condition(TYPE).message()).contains("no peer", "spec.peers");

    chain.chain().at(7, Instant.EPOCH).furthest(5000).peers(4);
    letItLastAt(7);
    awaitCondition(TYPE, ConditionStatus.FALSE, NodeReason.CATCHING_UP);
    assertThat(why())
        .contains("CaughtUp", "CatchingUp", "seid fetches the blocks", "kubectl sei status");
    Condition said = condition(TYPE);
    awaitAnotherLook();
    operator.requests().clear();
    chain.chain().at(4000, Instant.EPOCH);
    eventuallySeldom(() -> assertThat(gauge("sei_node_height")).isEqualTo(4000));
    assertThat(gauge("sei_node_lag_blocks")).isEqualTo(1000);
    assertThat(gauge("sei_node_peers")).isEqualTo(4);
    assertThat(operator.requests().matching(Request::isWrite)).isEmpty();
    assertThat(condition(TYPE)).isEqualTo(said);

    chain.fault(namespace, NODE, null);
    chain.chain().at(5000, Instant.now());
    awaitCondition(TYPE, ConditionStatus.TRUE, NodeReason.CAUGHT_UP);
    eventually(() -> assertThat(events("CaughtUp")).hasSize(1));
    eventually(() -> assertThat(events("NoPeers")).hasSize(1));
  }

  @Test
  void stoppedNodeIsNotAsked() {
    createRunning();
    awaitCondition(TYPE, ConditionStatus.TRUE, NodeReason.CAUGHT_UP);

    patch("{'spec':{'paused':true}}");

    awaitCondition(NodeConditionType.PAUSED, ConditionStatus.TRUE, NodeReason.PAUSED);
    assertCondition(TYPE, ConditionStatus.UNKNOWN, NodeReason.NOT_ASKED);
    patch("{'spec':{'paused':false}}");
    awaitCondition(TYPE, ConditionStatus.TRUE, NodeReason.CAUGHT_UP);
    assertThat(events("CaughtUp")).isEmpty();
  }

  /** Lets a state last a minute: it was heard, and the operator's clock has advanced since. */
  private void letItLastAt(double height) {
    eventuallySeldom(() -> assertThat(gauge("sei_node_height")).isEqualTo(height));
    operator.clock().jumpTo(jumped = jumped.plus(Duration.ofMinutes(2)));
  }

  private String why() {
    return new KubectlSei(controlPlane, namespace).run("why", "snode/" + NODE).stdout();
  }

  private double gauge(String name) {
    return operator
        .scrape()
        .lines()
        .filter(line -> line.startsWith(name + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .findFirst()
        .orElseThrow();
  }
}
