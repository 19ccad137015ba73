package io.sei.operator.fleet.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.fleet.Fleets;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.testkit.samples.Samples;
import org.junit.jupiter.api.Test;

/** How a fleet sees a node whose seid a task is about to end. */
class ExitingNodesTest {

  private static final ExitingNodes EXITING = new ExitingNodes(node -> true);

  private static final FleetNode READY = Fleets.node(0, Fleets.OLD, Fleets.OLD, true);

  @Test
  void aNodeThatServesCountsAsBeingTakenDown() {
    assertThat(seen(EXITING, READY).switching()).isTrue();
    assertThat(seen(new ExitingNodes(node -> false), READY).switching()).isFalse();
  }

  @Test
  void aNodeThatDoesNotServeIsNotKeptFromWhatMayBringItBack() {
    FleetNode down = Fleets.node(0, Fleets.OLD, Fleets.OLD, false);
    assertThat(seen(EXITING, down).switching()).isFalse();
    assertThat(seen(EXITING, READY.withStall("CrashLoop")).switching()).isFalse();
  }

  private static FleetNode seen(ExitingNodes feature, FleetNode node) {
    return feature.seen(node, Samples.node("ns", node.name(), Samples.fullNode("sei:a")), null);
  }
}
