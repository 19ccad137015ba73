package io.sei.operator.fleet.disruption;

import static io.sei.operator.testkit.samples.FleetNodeSample.fleetNodes;
import static io.sei.operator.testkit.samples.RolloutSample.limits;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetNode;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class AvailabilityTest {

  /** One node in the state, two that are Ready, and one more may be unavailable at a time. */
  @ParameterizedTest(name = "beside a node that is {0}, required: {1}, optional: {2}")
  @CsvSource({
    "old,              1, 1",
    "switching old,    0, 0",
    "behind,           0, 0",
    "snapshotting old, 0, 0",
    "unreadable old,   0, 0",
    "neverReady old,   1, 0",
    "terminating old,  1, 0",
    "paused old,       1, 1",
  })
  void everyStateUsesTheBudgetOrIsExempt(String state, int required, int optional) {
    List<FleetNode> nodes = fleetNodes(state + ", old, old");

    assertThat(admitted(Disruption.CONFIGURATION, nodes, 1)).isEqualTo(required);
    assertThat(admitted(Disruption.SNAPSHOT, nodes, 1)).isEqualTo(optional);
  }

  @ParameterizedTest(name = "{0}, {1} at a time: required {2}, optional {3}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          old | 1 | 1 | 1
          old, old | 2 | 2 | 1
          old, paused old | 1 | 1 | 0
          old, paused old, paused old | 3 | 1 | 0
          old, behind | 2 | 1 | 0
          old, old, behind | 2 | 1 | 1
          """)
  void optionalDisruptionLeavesTheLastReadyNode(
      String states, int maxUnavailable, int required, int optional) {
    List<FleetNode> nodes = fleetNodes(states);

    assertThat(admitted(Disruption.ROLLOUT, nodes, maxUnavailable)).isEqualTo(required);
    assertThat(admitted(Disruption.TASK, nodes, maxUnavailable)).isEqualTo(optional);
  }

  /** All nodes may be not Ready for a moment. */
  @ParameterizedTest(name = "{0}: seid runs and is not Ready {1}, seid does not run {2}")
  @CsvSource({"ROLLOUT, 1, 3", "CONFIGURATION, 3, 3", "TASK, 3, 3"})
  void rolloutTakesNodesWhoseSeidRunsWithinTheBudget(
      Disruption disruption, int running, int stopped) {
    List<FleetNode> behind = fleetNodes("behind, behind, behind");
    List<FleetNode> down = behind.stream().map(node -> node.withMayRun(false)).toList();

    assertThat(count(disruption, behind, 1).admit(behind)).hasSize(running);
    assertThat(count(disruption, down, 1).admit(down)).hasSize(stopped);
  }

  @ParameterizedTest
  @EnumSource(Disruption.class)
  void everyNodeIsCountedOnce(Disruption disruption) {
    List<FleetNode> nodes =
        fleetNodes(
            "old, switching old, behind, snapshotting old, neverReady old, terminating old, paused"
                + " old");
    Availability all = count(disruption, nodes, 1);

    assertThat(
            Stream.of(all.ready(), all.down(), all.inFlight(), all.exempt()).flatMap(List::stream))
        .containsExactlyInAnyOrderElementsOf(nodes.stream().map(FleetNode::name).toList());
  }

  private static int admitted(Disruption disruption, List<FleetNode> nodes, int maxUnavailable) {
    List<FleetNode> candidates =
        nodes.stream()
            .filter(node -> node.isReady() && !node.switching() && !node.snapshotting())
            .toList();
    return count(disruption, nodes, maxUnavailable).admit(candidates).size();
  }

  private static Availability count(
      Disruption disruption, List<FleetNode> nodes, int maxUnavailable) {
    return Availability.of(
        disruption, limits(maxUnavailable), nodes, List.of(), FleetNode::switching);
  }
}
