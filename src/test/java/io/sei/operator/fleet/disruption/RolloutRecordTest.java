package io.sei.operator.fleet.disruption;

import static io.sei.operator.testkit.samples.FleetNodeSample.NEW;
import static io.sei.operator.testkit.samples.FleetNodeSample.aFleetNode;
import static io.sei.operator.testkit.samples.FleetNodeSample.fleetNodes;
import static io.sei.operator.testkit.samples.NodeSample.LONG_AGO;
import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.RolloutSample.aRollout;
import static io.sei.operator.testkit.samples.RolloutSample.limits;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.Limits;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts of the record of a rollout that are trusted. */
class RolloutRecordTest {

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          all at once                                     | 3:0 1 2 | 1 | old, old, old | 2
          all at once, of nodes said to have been down    | 3:0 1 2:0 1 2 | 1 | old, old, old | 2
          one more than what is under way                 | 3:0 1 2 | 1 | old, old, starting | 2
          one more than what goes down, said to be down   | 3:1 2:0 1 2 | 1 | old, old, rolling | 2
          of what is down anyway                          | 3:0 1 2 | 1 | down, down, old | 0 1
          maxUnavailable was lowered, specs are written   | 3:1 2 | 1 | old, rolling, rolling | 1 2
          maxUnavailable was lowered before that          | 3:1 2 | 1 | old, old, old | 2
          partition raised above one that is down | 3:0 1 2:0 1 2 | partition 1 | down, done, old | 1
          another node broke after the turn was given     | 3:2 | 1 | down, old, old | ''
          one is about to be replaced for an earlier one  | 3:1 | 1 | down, earlier, old | 1
          """)
  void turnsStandAsFarAsTheyFit(
      String what, String stored, String allowed, String nodes, String expected) {
    assertThat(turnsLeft(aRollout(stored), limits(allowed), fleetNodes(nodes))).isEqualTo(expected);
  }

  @Test
  void turnsThatCameLastGoFirst() {
    var stored = new Rollout(NEW, LONG_AGO, List.of(turn(0, LONG_AGO), turn(1, NOW)));
    assertThat(turnsLeft(stored, limits(1), fleetNodes("old, old"))).isEqualTo("0");
  }

  private static String turnsLeft(Rollout stored, Limits limits, List<FleetNode> fleet) {
    Rollout corrected = corrected(stored, fleet, limits);
    assertThat(corrected(corrected, fleet, limits)).isEqualTo(corrected);
    return fleet.stream()
        .filter(node -> corrected.node(node.name()).orElseThrow().admittedAt() != null)
        .map(node -> String.valueOf(node.ordinal()))
        .collect(Collectors.joining(" "));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nothing begun                                    | 2 | 1 | old, old
          to be written                                    | 2:1 | 1 | old, old
          written                                          | 2:1 | 1 | old, rolling
          at the limit                                     | 3:1 2 | 2 | old, old, rolling
          read from a cache that lags behind within a wave | 3:1 2 | 2 | old, old, old
          of a halted fleet | 3:0 1 2:0 1 2 | 1 | down, down, starting
          of a node that is made again                     | 2:1 | 1 | old
          """)
  void whatCanBeTrueIsLeftAsItIs(String what, String stored, String allowed, String nodes) {
    assertThat(corrected(aRollout(stored), fleetNodes(nodes), limits(allowed)))
        .isEqualTo(aRollout(stored));
  }

  /** A new leader may see an earlier wave where it was; the turn that it takes back comes again. */
  @Test
  void aCacheThatLagsBehindByAWaveOnlyDelaysTheNext() {
    Rollout stored =
        new Rollout(NEW, LONG_AGO, List.of(turn(0, null), turn(1, NOW), turn(2, LONG_AGO)));
    Rollout lagging = corrected(stored, fleetNodes("old, old, old"), limits(1));
    List<FleetNode> written = fleetNodes("old, rolling, done");
    assertThat(lagging.nodes()).containsExactly(turn(0, null), turn(1, null), turn(2, LONG_AGO));

    assertThat(corrected(lagging, written, limits(1))).isEqualTo(lagging);
    assertThat(RolloutPolicy.decide(lagging, written, limits(1), NOW).admit()).isEmpty();
    assertThat(RolloutPolicy.decide(lagging, fleetNodes("old, old, done"), limits(1), NOW).admit())
        .containsExactly(aFleetNode(1).build());
  }

  @Test
  void nodesWithoutARecordAreMissedWhenTheyGoDown() {
    Rollout corrected =
        corrected(new Rollout(NEW, LONG_AGO, null), fleetNodes("old, rolling"), limits(1));

    assertThat(corrected.nodes()).containsExactly(turn(0, null), turn(1, NOW));
  }

  @Test
  void nodeThatIsDownForASnapshotIsNotTheRolloutsToAdd() {
    List<FleetNode> fleet = fleetNodes("old, snapshotting down");

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
              new Rollout(NEW, moment, List.of(turn(0, moment))),
              fleetNodes("starting"),
              limits(1));

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

    assertThat(corrected(holes, fleetNodes("starting"), limits(1)))
        .isEqualTo(
            new Rollout(NEW, Instant.MIN, List.of(new RolloutNode("fleet-0", LONG_AGO, false))));
    assertThat(corrected(new Rollout(null, NOW, List.of()), List.of(), limits(1))).isNull();
    assertThat(corrected(null, List.of(), limits(1))).isNull();
  }

  private static Rollout corrected(Rollout stored, List<FleetNode> fleet, Limits limits) {
    return RolloutRecord.corrected(stored, fleet, limits, NOW);
  }

  private static RolloutNode turn(int ordinal, Instant admittedAt) {
    return new RolloutNode("fleet-" + ordinal, admittedAt, true);
  }
}
