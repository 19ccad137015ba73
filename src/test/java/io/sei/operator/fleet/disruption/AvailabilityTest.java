package io.sei.operator.fleet.disruption;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.fleet.Fleets;
import io.sei.operator.fleet.model.FleetNode;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class AvailabilityTest {

  /** One node in the state, two that are Ready, and one more may be unavailable at a time. */
  @ParameterizedTest(name = "beside a node that is {0}, required: {1}, optional: {2}")
  @CsvSource({
    "ready,       1, 1",
    "in flight,   0, 0",
    "down,        0, 0",
    "snapshotting, 0, 0",
    "unreadable,  0, 0",
    "never ready, 1, 0",
    "terminating, 1, 0",
    "paused,      1, 1",
  })
  void everyStateUsesTheBudgetOrIsExempt(String state, int required, int optional) {
    List<FleetNode> nodes = nodes(state, "ready", "ready");

    assertThat(admitted(Disruption.CONFIGURATION, nodes, 1)).isEqualTo(required);
    assertThat(admitted(Disruption.SNAPSHOT, nodes, 1)).isEqualTo(optional);
  }

  @ParameterizedTest(name = "{0}, {1} at a time: required {2}, optional {3}")
  @CsvSource({
    "ready,               1, 1, 1",
    "ready/ready,         2, 2, 1",
    "ready/paused,        1, 1, 0",
    "ready/paused/paused, 3, 1, 0",
    "ready/down,          2, 1, 0",
    "ready/ready/down,    2, 1, 1",
  })
  void optionalDisruptionLeavesTheLastReadyNode(
      String states, int maxUnavailable, int required, int optional) {
    List<FleetNode> nodes = nodes(states.split("/"));

    assertThat(admitted(Disruption.ROLLOUT, nodes, maxUnavailable)).isEqualTo(required);
    assertThat(admitted(Disruption.TASK, nodes, maxUnavailable)).isEqualTo(optional);
  }

  /** All nodes may be not Ready for a moment. */
  @ParameterizedTest(name = "{0}: seid runs and is not Ready {1}, seid does not run {2}")
  @CsvSource({"ROLLOUT, 1, 3", "CONFIGURATION, 3, 3", "TASK, 3, 3"})
  void rolloutTakesNodesWhoseSeidRunsWithinTheBudget(
      Disruption disruption, int running, int stopped) {
    List<FleetNode> behind = nodes("down", "down", "down");
    List<FleetNode> down = behind.stream().map(node -> node.withMayRun(false)).toList();

    assertThat(count(disruption, behind, 1).admit(behind)).hasSize(running);
    assertThat(count(disruption, down, 1).admit(down)).hasSize(stopped);
  }

  @ParameterizedTest
  @EnumSource(Disruption.class)
  void everyNodeIsCountedOnce(Disruption disruption) {
    List<FleetNode> nodes =
        nodes("ready", "in flight", "down", "snapshotting", "never ready", "terminating", "paused");
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
        disruption, Fleets.limits(maxUnavailable), nodes, List.of(), FleetNode::switching);
  }

  private static List<FleetNode> nodes(String... states) {
    return IntStream.range(0, states.length)
        .mapToObj(ordinal -> node(ordinal, states[ordinal]))
        .toList();
  }

  private static FleetNode node(int ordinal, String state) {
    return switch (state) {
      case "ready" -> Fleets.old(ordinal);
      case "in flight" -> Fleets.old(ordinal).withSwitching(true);
      case "down" -> Fleets.behind(ordinal);
      case "snapshotting" -> Fleets.old(ordinal).withSnapshotting(true);
      case "unreadable" -> Fleets.behind(ordinal).withUnreadable(true);
      case "never ready" -> Fleets.syncing(ordinal);
      case "terminating" -> Fleets.terminating(Fleets.old(ordinal));
      case "paused" -> Fleets.paused(Fleets.old(ordinal));
      default -> throw new IllegalArgumentException(state);
    };
  }
}
