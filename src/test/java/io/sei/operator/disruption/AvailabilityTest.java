package io.sei.operator.disruption;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class AvailabilityTest {

  /** One node in the state, two that are Ready, and one more may be unavailable at a time. */
  @ParameterizedTest(name = "beside a node that is {0}, required: {1}, optional: {2}")
  @CsvSource({
    "READY,       1, 1",
    "IN_FLIGHT,   0, 0",
    "DOWN,        0, 0",
    "NEVER_READY, 1, 0",
    "TERMINATING, 1, 0",
    "SUSPENDED,   1, 1",
  })
  void everyStateUsesTheBudgetOrIsExempt(NodeState state, int required, int optional) {
    var nodes = List.of(state, NodeState.READY, NodeState.READY);

    assertThat(count(Disruption.ROLLOUT, nodes).room(1)).isEqualTo(required);
    assertThat(count(Disruption.SNAPSHOT, nodes).room(1)).isEqualTo(optional);
  }

  @ParameterizedTest(name = "{0}, {1} at a time: required {2}, optional {3}")
  @CsvSource({
    "READY,                     1, 1, 1",
    "READY READY,               2, 2, 1",
    "READY SUSPENDED,           1, 1, 0",
    "READY SUSPENDED SUSPENDED, 3, 3, 0",
    "READY DOWN,                2, 1, 0",
    "READY READY DOWN,          2, 1, 1",
    "SUSPENDED,                 1, 1, 1",
    "DOWN DOWN,                 1, 0, 0",
  })
  void optionalDisruptionLeavesTheLastReadyNode(
      String states, int maxUnavailable, int required, int optional) {
    List<NodeState> nodes = Stream.of(states.split(" ")).map(NodeState::valueOf).toList();

    assertThat(count(Disruption.ROLLOUT, nodes).room(maxUnavailable)).isEqualTo(required);
    assertThat(count(Disruption.SNAPSHOT, nodes).room(maxUnavailable)).isEqualTo(optional);
  }

  @ParameterizedTest
  @EnumSource(Disruption.class)
  void everyNodeIsCountedOnce(Disruption disruption) {
    Availability all = count(disruption, List.of(NodeState.values()));

    assertThat(
            Stream.of(all.ready(), all.down(), all.inFlight(), all.exempt()).flatMap(List::stream))
        .containsExactlyInAnyOrder(
            Stream.of(NodeState.values()).map(Enum::name).toArray(String[]::new));
  }

  private static Availability count(Disruption disruption, List<NodeState> nodes) {
    return Availability.of(disruption, nodes, NodeState::name, Function.identity());
  }
}
