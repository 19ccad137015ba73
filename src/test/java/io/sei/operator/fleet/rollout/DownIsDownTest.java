package io.sei.operator.fleet.rollout;

import static io.sei.operator.fleet.Fleets.LONG_AGO;
import static io.sei.operator.fleet.Fleets.NOW;
import static io.sei.operator.fleet.Fleets.crashed;
import static io.sei.operator.fleet.Fleets.done;
import static io.sei.operator.fleet.Fleets.fleet;
import static io.sei.operator.fleet.Fleets.limits;
import static io.sei.operator.fleet.Fleets.old;
import static io.sei.operator.fleet.Fleets.oldDown;
import static io.sei.operator.fleet.Fleets.partition;
import static io.sei.operator.fleet.Fleets.paused;
import static io.sei.operator.fleet.Fleets.readySince;
import static io.sei.operator.fleet.Fleets.rollback;
import static io.sei.operator.fleet.Fleets.rollout;
import static io.sei.operator.fleet.Fleets.stalled;
import static io.sei.operator.fleet.Fleets.starting;
import static io.sei.operator.fleet.Fleets.syncing;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.Limits;
import io.sei.operator.fleet.model.RolloutVerdict;
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
          one that syncs first is missed by nobody    | 3::0 | 1 | syncing, old, old | 0 2
          nor is it once it has the template | 3:0:0 | 1 | neverReady starting, old, old | 2
          one that was taken as a healthy one is      | 3:0 | 1 | neverReady starting, old, old | ''
          one that is stopped for a snapshot is down | 2 | partition 1 | snapshotting down, old | ''
          and so is one that is about to be           | 2 | partition 1 | snapshotting old, old | ''
          """)
  void admits(String what, String rollout, String limits, String fleet, String expected) {
    assertThat(decide(rollout(rollout), fleet(fleet), limits(limits)).admit())
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
  void aStallCountsAgainstTheTemplateUnlessItWasThereBefore(
      String what, boolean available, String before, String stall, boolean counts) {
    var record = new RolloutNode("fleet-0", LONG_AGO, available, before);
    Rollout rollout = rollout(2).withNodes(List.of(record, rollout(2).nodes().get(1)));
    FleetNode stalled = stalled(starting(0).withMayRun(false), stall);
    RolloutVerdict verdict =
        decide(rollout, List.of(stalled, old(1)), rollback(Duration.ofSeconds(2)));
    assertThat(verdict.stalled().isPresent()).isEqualTo(counts);
    assertThat(verdict.rollBack()).isEqualTo(counts);
    assertThat(verdict.admit()).isEmpty();
    assertThat(verdict.obstacle().isPresent()).isEqualTo(!counts);
  }

  @Test
  void aNodeThatSyncsForTheFirstTimeIsNoStallOfTheTemplate() {
    FleetNode syncing = stalled(starting(0).withNeverReady(true), "Unknown");

    assertThat(decide(rollout(2), List.of(syncing, old(1)), limits(1)).admit())
        .extracting(FleetNode::ordinal)
        .containsExactly(1);
  }

  @Test
  void namesTheNodeItWaitsForWithItsCauseAndTheWayOut() {
    var record = new RolloutNode("fleet-0", LONG_AGO, false, "CrashLoop");
    Rollout rollout = rollout(2).withNodes(List.of(record, rollout(2).nodes().get(1)));
    FleetNode corrupt = stalled(starting(0).withMayRun(false), "CrashLoop");

    RolloutVerdict verdict = decide(rollout, List.of(corrupt, old(1)), limits(1));

    assertThat(verdict.obstacleWords())
        .contains(
            "waits for fleet-0, which is down (CrashLoop: the evidence); bring it back, or set"
                + " spec.paused or spec.maintenance.hold on SeiNode fleet-0 to go on without it");
    assertThat(decide(rollout, List.of(paused(corrupt), old(1)), limits(1)).admit()).hasSize(1);
  }

  @Test
  void asksNobodyToBringBackANodeThatComesBackByItself() {
    FleetNode starting = oldDown(0).withReadyReason(NodeReason.STARTING.toString());

    assertThat(obstacle(starting))
        .contains("waits for fleet-0, which is starting, and goes on by itself");
    assertThat(obstacle(starting.withSnapshotting(true)))
        .contains("waits for fleet-0, which is stopped for a snapshot");
    assertThat(obstacle(starting.withStall("CrashLoop")).get()).contains("bring it back");
  }

  private static Optional<String> obstacle(FleetNode down) {
    return decide(rollout(2), List.of(down, old(1)), partition(1)).obstacleWords();
  }

  @Test
  void namesNobodyWhileItsOwnNodesAreOnTheirWay() {
    assertThat(decide(rollout(2, 1), fleet("old, starting"), limits(1)).obstacle()).isEmpty();
    assertThat(decide(rollout(2), fleet("old, old"), limits(1)).obstacle()).isEmpty();
  }

  @Test
  void aCrashAfterReadyIsRolledBackAtTheDeadlineAlthoughItIsReadyAgain() {
    FleetNode crashed = crashed(readySince(done(1), NOW.minusSeconds(1)), NOW.minusSeconds(2));

    RolloutVerdict verdict =
        decide(rollout(2, 1), List.of(old(0), crashed), rollback(Duration.ofSeconds(2)));

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
        crashed(readySince(done(1), NOW.minusSeconds(1)), NOW.minusSeconds(2))
            .withCrashReason(reason);

    RolloutVerdict ready =
        decide(rollout(2, 1), List.of(old(0), crashed), rollback(Duration.ofSeconds(2)));
    RolloutVerdict down =
        decide(
            rollout(2, 1),
            List.of(old(0), stalled(crashed, "Unknown")),
            rollback(Duration.ofSeconds(2)));

    assertThat(ready.stalled().orElseThrow().stall()).isEqualTo(reason);
    assertThat(ready.admit()).isEmpty();
    assertThat(ready.rollBack()).isEqualTo(rollsBack);
    assertThat(down.rollBack()).isEqualTo(rollsBack);
  }

  @Test
  void aRolloutIsNotDoneWhileACrashCounts() {
    FleetNode crashed = crashed(readySince(done(0), NOW.minusSeconds(60)), LONG_AGO);

    RolloutVerdict verdict = decide(rollout(1, 0), List.of(crashed), limits(1));

    assertThat(verdict.done()).isFalse();
    assertThat(verdict.recheck()).contains(Duration.ofSeconds(540));
  }

  private static RolloutVerdict decide(Rollout rollout, List<FleetNode> fleet, Limits limits) {
    return RolloutPolicy.decide(rollout, fleet, limits, NOW);
  }
}
