package io.sei.operator.fleet;

import static io.sei.operator.testkit.samples.FleetNodeSample.aFleetNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.testkit.samples.FleetNodeSample;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a fleet sees a node whose seid a task is about to end. */
class ExitingNodesTest {

  private static final boolean EXITS = true;

  private static final FleetNode READY =
      aFleetNode(0).given(FleetNodeSample.OLD).runs(FleetNodeSample.OLD).build();

  @Test
  void aNodeThatServesCountsAsBeingTakenDown() {
    assertThat(seen(EXITS, READY).switching()).isTrue();
    assertThat(seen(!EXITS, READY).switching()).isFalse();
  }

  @Test
  void aNodeThatDoesNotServeIsNotKeptFromWhatMayBringItBack() {
    FleetNode down =
        aFleetNode(0).given(FleetNodeSample.OLD).runs(FleetNodeSample.OLD).behind().build();
    assertThat(seen(EXITS, down).switching()).isFalse();
    assertThat(seen(EXITS, READY.withStall("CrashLoop")).switching()).isFalse();
  }

  private static FleetNode seen(boolean exits, FleetNode node) {
    return new FleetObserver(null, null, List.of(), any -> exits, null, null)
        .exiting(node, Samples.node("ns", node.name(), Samples.fullNode("sei:a")), null);
  }
}
