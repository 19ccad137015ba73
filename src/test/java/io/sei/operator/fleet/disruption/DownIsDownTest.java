package io.sei.operator.fleet.disruption;

import static io.sei.operator.testkit.samples.FleetNodeSample.aFleetNode;
import static io.sei.operator.testkit.samples.FleetNodeSample.fleetNodes;
import static io.sei.operator.testkit.samples.NodeSample.LONG_AGO;
import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.RolloutSample.aRollout;
import static io.sei.operator.testkit.samples.RolloutSample.limits;
import static io.sei.operator.testkit.samples.RolloutSample.partition;
import static io.sei.operator.testkit.samples.RolloutSample.rollback;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.Limits;
import io.sei.operator.fleet.feature.RolloutVerdict;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Down is down: who waits for whom, and for what a template is to blame. */
class DownIsDownTest {

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          one that was down before is down            | 3::0 | partition 1 | down, old, old | ''
          one that does not run is free, others wait  | 3::0 | 1 | down, old, old | 0
          done without being Ready, and down          | 3::0 | 1 | starting, old, old | ''
          within what may be unavailable others go on | 3::0 | 2 | starting, old, old | 2
          all behind for a moment: one by one         | 3 | 1 | behind, behind, behind | 2
          behind before Ready ones, within the limit  | 4 | 2 | behind, old, old, old | 0 3
          one that was behind is taken until Ready    | 3:2 | 1 | behind, behind, starting | ''
          one long behind only until it runs it | 2::0 1 | 1 | stalled:Unknown behind, starting | 0
          one that syncs first is missed by nobody    | 3::0 | 1 | neverReady, old, old | 0 2
          nor is it once it has the template | 3:0:0 | 1 | neverReady starting, old, old | 2
          one that was taken as a healthy one is      | 3:0 | 1 | neverReady starting, old, old | ''
          one that is stopped for a snapshot is down | 2 | partition 1 | snapshotting down, old | ''
          and so is one that is about to be           | 2 | partition 1 | snapshotting old, old | ''
          """)
  void admits(String what, String rollout, String limits, String fleet, String expected) {
    assertThat(decide(aRollout(rollout), fleetNodes(fleet), limits(limits)).admit())
        .extracting(node -> String.valueOf(node.ordinal()))
        .isEqualTo(expected.isEmpty() ? List.of() : List.of(expected.split(" ")));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "available before, true, , CrashLoop, true",
    "down for the same cause, false, CrashLoop, CrashLoop, false",
    "down for another cause, false, HaltedAtUpgrade, ImagePull, true",
    "down and nobody recorded why, false, , CrashLoop, true"
  })
  void stallCountsAgainstTheTemplateUnlessItWasThereBefore(
      String what, boolean available, String before, String stall, boolean counts) {
    var record = new RolloutNode("fleet-0", LONG_AGO, available, before, null);
    Rollout rollout = aRollout(2).withNodes(List.of(record, aRollout(2).nodes().get(1)));
    FleetNode stalled = aFleetNode(0).starting().down().stalled(stall).build();
    RolloutVerdict verdict =
        decide(rollout, List.of(stalled, aFleetNode(1).build()), rollback(Duration.ofSeconds(2)));
    assertThat(verdict.stalled().isPresent()).isEqualTo(counts);
    assertThat(verdict.rollBack()).isEqualTo(counts);
    assertThat(verdict.admit()).isEmpty();
    assertThat(verdict.obstacle().isPresent()).isEqualTo(!counts);
  }

  @Test
  void aNodeThatSyncsForTheFirstTimeIsNoStallOfTheTemplate() {
    FleetNode syncing = aFleetNode(0).starting().neverReady().stalled("Unknown").build();

    assertThat(decide(aRollout(2), List.of(syncing, aFleetNode(1).build()), limits(1)).admit())
        .extracting(FleetNode::ordinal)
        .containsExactly(1);
  }

  @Test
  void obstacleNamesTheNodeItsCauseAndTheRemedy() {
    var record = new RolloutNode("fleet-0", LONG_AGO, false, "CrashLoop", null);
    Rollout rollout = aRollout(2).withNodes(List.of(record, aRollout(2).nodes().get(1)));
    FleetNode corrupt = aFleetNode(0).starting().down().stalled("CrashLoop").build();

    RolloutVerdict verdict = decide(rollout, List.of(corrupt, aFleetNode(1).build()), limits(1));

    assertThat(verdict.obstacleWords())
        .contains(
            "waits for fleet-0, which is down (CrashLoop: the evidence); bring it back, or set"
                + " spec.paused or spec.maintenance.hold on SeiNode fleet-0 to go on without it");
    assertThat(
            decide(
                    rollout,
                    List.of(aFleetNode(corrupt).paused().build(), aFleetNode(1).build()),
                    limits(1))
                .admit())
        .hasSize(1);
  }

  @Test
  void nodeThatComesBackByItselfNeedsNoAction() {
    FleetNode starting =
        aFleetNode(0).down().build().withReadyReason(NodeReason.STARTING.toString());

    assertThat(obstacle(starting))
        .contains("waits for fleet-0, which is starting, and goes on by itself");
    assertThat(obstacle(starting.withSnapshotting(true)))
        .contains("waits for fleet-0, which is stopped for a snapshot");
    assertThat(obstacle(starting.withStall("CrashLoop")).get()).contains("bring it back");
    assertThat(obstacle(starting.withUnreadable(true)))
        .as("a pause would not be read")
        .contains(
            "waits for fleet-0, which is unreadable; correct the field that its conditions or"
                + " Events name, or delete it");
  }

  private static Optional<String> obstacle(FleetNode down) {
    return decide(aRollout(2), List.of(down, aFleetNode(1).build()), partition(1)).obstacleWords();
  }

  @Test
  void admittedNodesAreNoObstacle() {
    assertThat(decide(aRollout(2, 1), fleetNodes("old, starting"), limits(1)).obstacle()).isEmpty();
    assertThat(decide(aRollout(2), fleetNodes("old, old"), limits(1)).obstacle()).isEmpty();
  }

  /** The user has to correct the node before it is updated. */
  @Test
  void admittedNodeThatCannotBeReadIsAnObstacle() {
    assertThat(decide(aRollout(2, 1), fleetNodes("old, starting unreadable"), limits(1)).obstacle())
        .hasValueSatisfying(node -> assertThat(node.name()).isEqualTo("fleet-1"));
  }

  @Test
  void aCrashAfterReadyIsRolledBackAtTheDeadlineAlthoughItIsReadyAgain() {
    FleetNode crashed =
        aFleetNode(1).done().readySince(NOW.minusSeconds(1)).crashed(NOW.minusSeconds(2)).build();

    RolloutVerdict verdict =
        decide(
            aRollout(2, 1),
            List.of(aFleetNode(0).build(), crashed),
            rollback(Duration.ofSeconds(2)));

    assertThat(verdict.rollBack()).isTrue();
    assertThat(verdict.stalled().orElseThrow().stall()).isEqualTo("CrashLoop");
    assertThat(verdict.done()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "CrashLoop, true",
    "RuntimeCrash, true",
    "AppHashMismatch, false",
    "SigningElsewhere, false",
    "DiskFull, false"
  })
  void aCrashThatNoRollbackHelpsHoldsAlthoughItIsReadyAgain(String reason, boolean rollsBack) {
    FleetNode crashed =
        aFleetNode(1)
            .done()
            .readySince(NOW.minusSeconds(1))
            .crashed(NOW.minusSeconds(2))
            .build()
            .withCrashReason(reason);

    RolloutVerdict ready =
        decide(
            aRollout(2, 1),
            List.of(aFleetNode(0).build(), crashed),
            rollback(Duration.ofSeconds(2)));
    RolloutVerdict down =
        decide(
            aRollout(2, 1),
            List.of(aFleetNode(0).build(), aFleetNode(crashed).stalled("Unknown").build()),
            rollback(Duration.ofSeconds(2)));

    assertThat(ready.stalled().orElseThrow().stall()).isEqualTo(reason);
    assertThat(ready.admit()).isEmpty();
    assertThat(ready.rollBack()).isEqualTo(rollsBack);
    assertThat(down.rollBack()).isEqualTo(rollsBack);
  }

  @Test
  void aRolloutIsNotDoneWhileACrashCounts() {
    FleetNode crashed =
        aFleetNode(0).done().readySince(NOW.minusSeconds(60)).crashed(LONG_AGO).build();

    RolloutVerdict verdict = decide(aRollout(1, 0), List.of(crashed), limits(1));

    assertThat(verdict.done()).isFalse();
    assertThat(verdict.recheck()).contains(Duration.ofSeconds(540));
  }

  private static RolloutVerdict decide(Rollout rollout, List<FleetNode> fleet, Limits limits) {
    return RolloutPolicy.decide(rollout, fleet, limits, NOW);
  }
}
