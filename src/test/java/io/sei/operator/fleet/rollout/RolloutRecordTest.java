package io.sei.operator.fleet.rollout;

import static io.sei.operator.fleet.Fleets.LONG_AGO;
import static io.sei.operator.fleet.Fleets.NEW;
import static io.sei.operator.fleet.Fleets.NOW;
import static io.sei.operator.fleet.Fleets.OLD;
import static io.sei.operator.fleet.Fleets.done;
import static io.sei.operator.fleet.Fleets.limits;
import static io.sei.operator.fleet.Fleets.node;
import static io.sei.operator.fleet.Fleets.old;
import static io.sei.operator.fleet.Fleets.oldDown;
import static io.sei.operator.fleet.Fleets.partition;
import static io.sei.operator.fleet.Fleets.rolling;
import static io.sei.operator.fleet.Fleets.rollout;
import static io.sei.operator.fleet.Fleets.starting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.fleet.Fleets;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.Limits;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is believed of the record of a rollout. */
class RolloutRecordTest {

  static Stream<Arguments> turns() {
    return Stream.of(
        arguments(
            "all at once", rollout(3, 0, 1, 2), limits(1), fleet(old(0), old(1), old(2)), "2"),
        arguments(
            "all at once, of nodes said to have been down",
            unavailable(rollout(3, 0, 1, 2)),
            limits(1),
            fleet(old(0), old(1), old(2)),
            "2"),
        arguments(
            "one more than what is under way",
            rollout(3, 0, 1, 2),
            limits(1),
            fleet(old(0), old(1), starting(2)),
            "2"),
        arguments(
            "one more than what goes down in a moment, though it is said to have been down",
            unavailable(rollout(3, 1, 2)),
            limits(1),
            fleet(old(0), old(1), rolling(2)),
            "2"),
        arguments(
            "those that came last go first",
            new Rollout(NEW, LONG_AGO, List.of(turn(0, LONG_AGO), turn(1, NOW))),
            limits(1),
            fleet(old(0), old(1)),
            "0"),
        arguments(
            "of what is down anyway",
            rollout(3, 0, 1, 2),
            limits(1),
            fleet(oldDown(0), oldDown(1), old(2)),
            "0 1"));
  }

  static Stream<Arguments> turnsAfterAChange() {
    return Stream.of(
        arguments(
            "maxUnavailable was lowered and their specs are written",
            rollout(3, 1, 2),
            limits(1),
            fleet(old(0), rolling(1), rolling(2)),
            "1 2"),
        arguments(
            "maxUnavailable was lowered before their specs were written",
            rollout(3, 1, 2),
            limits(1),
            fleet(old(0), old(1), old(2)),
            "2"),
        arguments(
            "the partition was raised above one that is down",
            unavailable(rollout(3, 0, 1, 2)),
            partition(1),
            fleet(oldDown(0), done(1), old(2)),
            "1"),
        arguments(
            "another node broke after the turn was given",
            rollout(3, 2),
            limits(1),
            fleet(oldDown(0), old(1), old(2)),
            ""),
        arguments(
            "another node broke, and this one is about to be replaced for an earlier template",
            rollout(3, 1),
            limits(1),
            fleet(oldDown(0), node(1, "v1-earlier", OLD, true), old(2)),
            "1"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"turns", "turnsAfterAChange"})
  void turnsStandAsFarAsTheyFit(
      String what, Rollout stored, Limits limits, List<FleetNode> fleet, String expected) {
    Rollout corrected = corrected(stored, fleet, limits);

    assertThat(
            String.join(
                " ",
                fleet.stream()
                    .filter(node -> corrected.node(node.name()).orElseThrow().admittedAt() != null)
                    .map(node -> String.valueOf(node.ordinal()))
                    .toList()))
        .isEqualTo(expected);
    assertThat(corrected(corrected, fleet, limits)).isEqualTo(corrected);
  }

  static Stream<Arguments> honest() {
    return Stream.of(
        arguments("nothing begun", rollout(2), limits(1), fleet(old(0), old(1))),
        arguments("to be written", rollout(2, 1), limits(1), fleet(old(0), old(1))),
        arguments("written", rollout(2, 1), limits(1), fleet(old(0), rolling(1))),
        arguments("at the limit", rollout(3, 1, 2), limits(2), fleet(old(0), old(1), rolling(2))),
        arguments(
            "read from a cache that lags behind within a wave",
            rollout(3, 1, 2),
            limits(2),
            fleet(old(0), old(1), old(2))),
        arguments(
            "of a halted fleet",
            unavailable(rollout(3, 0, 1, 2)),
            limits(1),
            fleet(oldDown(0), oldDown(1), starting(2))),
        arguments("of a node that is made again", rollout(2, 1), limits(1), fleet(old(0))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("honest")
  void whatCanBeTrueIsLeftAsItIs(
      String what, Rollout stored, Limits limits, List<FleetNode> fleet) {
    assertThat(corrected(stored, fleet, limits)).isEqualTo(stored);
  }

  /** A new leader may see an earlier wave where it was; the turn that it takes back comes again. */
  @Test
  void aCacheThatLagsBehindByAWaveOnlyDelaysTheNext() {
    Rollout stored =
        new Rollout(NEW, LONG_AGO, List.of(turn(0, null), turn(1, NOW), turn(2, LONG_AGO)));
    Rollout lagging = corrected(stored, fleet(old(0), old(1), old(2)), limits(1));
    List<FleetNode> written = fleet(old(0), rolling(1), done(2));
    assertThat(lagging.nodes()).containsExactly(turn(0, null), turn(1, null), turn(2, LONG_AGO));

    assertThat(corrected(lagging, written, limits(1))).isEqualTo(lagging);
    assertThat(RolloutPolicy.decide(lagging, written, limits(1), NOW).admit()).isEmpty();
    assertThat(
            RolloutPolicy.decide(lagging, fleet(old(0), old(1), done(2)), limits(1), NOW).admit())
        .containsExactly(old(1));
  }

  @Test
  void nodesWithoutARecordAreMissedWhenTheyGoDown() {
    Rollout corrected =
        corrected(new Rollout(NEW, LONG_AGO, null), fleet(old(0), rolling(1)), limits(1));

    assertThat(corrected.nodes()).containsExactly(turn(0, null), turn(1, NOW));
  }

  @Test
  void nodeThatIsDownForASnapshotIsNotTheRolloutsToAdd() {
    List<FleetNode> fleet = fleet(old(0), oldDown(1).withSnapshotting(true));

    Rollout begun = corrected(new Rollout(NEW, LONG_AGO, null), fleet, limits(1));

    assertThat(begun.node("fleet-1").orElseThrow().wasAvailable()).isTrue();
    // It may get the template, as it is down; the other one waits.
    assertThat(RolloutPolicy.decide(begun, fleet, limits(1), NOW).admit())
        .extracting(FleetNode::name)
        .containsExactly("fleet-1");
  }

  @Test
  void momentsToComeAreNowAndThoseThatAreMissingToo() {
    for (Instant moment : new Instant[] {null, NOW.plusSeconds(1), Instant.MAX}) {
      Rollout corrected =
          corrected(
              new Rollout(NEW, moment, List.of(turn(0, moment))), fleet(starting(0)), limits(1));

      assertThat(corrected.startedAt()).isEqualTo(NOW);
      assertThat(corrected.nodes()).containsExactly(turn(0, moment == null ? null : NOW));
    }
  }

  @Test
  void whatIsNoRecordIsPassedOver() {
    var holes =
        new Rollout(
            NEW,
            Instant.MIN,
            Arrays.asList(
                null,
                new RolloutNode(null, NOW, true),
                new RolloutNode("fleet-0", LONG_AGO, null),
                turn(0, null)));

    assertThat(corrected(holes, fleet(starting(0)), limits(1)))
        .isEqualTo(
            new Rollout(NEW, Instant.MIN, List.of(new RolloutNode("fleet-0", LONG_AGO, false))));
    assertThat(corrected(new Rollout(null, NOW, List.of()), fleet(), limits(1))).isNull();
    assertThat(corrected(null, fleet(), limits(1))).isNull();
  }

  private static Rollout corrected(Rollout stored, List<FleetNode> fleet, Limits limits) {
    return RolloutRecord.corrected(stored, fleet, limits, NOW);
  }

  private static RolloutNode turn(int ordinal, Instant admittedAt) {
    return new RolloutNode(Fleets.name(ordinal), admittedAt, true);
  }

  private static Rollout unavailable(Rollout rollout) {
    return rollout.withNodes(
        rollout.nodes().stream().map(node -> node.withWasAvailable(false)).toList());
  }

  private static List<FleetNode> fleet(FleetNode... nodes) {
    return List.of(nodes);
  }
}
