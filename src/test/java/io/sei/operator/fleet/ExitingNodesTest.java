package io.sei.operator.fleet;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Checks a fleet's view of a node whose seid a task is about to end. */
class ExitingNodesTest {

  private static final Set<String> EXITING = Set.of("fleet-0");

  @Test
  void aNodeThatServesCountsAsBeingTakenDown() {
    assertThat(seen(EXITING, node -> node).switching()).isTrue();
    assertThat(seen(Set.of(), node -> node).switching()).isFalse();
  }

  @Test
  void aNodeThatDoesNotServeIsNotKeptFromWhatMayBringItBack() {
    assertThat(seen(EXITING, node -> node.unready("PodNotReady")).switching()).isFalse();
    assertThat(seen(EXITING, ExitingNodesTest::stalled).switching()).isFalse();
  }

  private static NodeSample stalled(NodeSample ready) {
    return ready.condition(NodeConditionType.STALLED, true, "CrashLoop", NodeSample.LONG_AGO);
  }

  private static FleetNode seen(Set<String> exiting, UnaryOperator<NodeSample> change) {
    return aFleet(1, A).child(0, A, change).view().withExiting(exiting).fleet().getFirst();
  }
}
