package io.sei.operator.fleet.rollout;

import static io.sei.operator.fleet.Fleets.LONG_AGO;
import static io.sei.operator.fleet.Fleets.NOW;
import static io.sei.operator.fleet.Fleets.behind;
import static io.sei.operator.fleet.Fleets.crashed;
import static io.sei.operator.fleet.Fleets.done;
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
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.fleet.Fleets;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.Limits;
import io.sei.operator.fleet.model.RolloutVerdict;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Down is down: who waits for whom, and for what a template is to blame. */
class DownIsDownTest {

  static Stream<Arguments> nodesThatAreDown() {
    return Stream.of(
        arguments(
            "one that was down before is down",
            rollout(3).withNodes(List.of(record(0, false), record(1, true), record(2, true))),
            partition(1),
            fleet(oldDown(0), old(1), old(2)),
            ""),
        arguments(
            "one that does not run is free, and the others wait for it",
            rollout(3).withNodes(List.of(record(0, false), record(1, true), record(2, true))),
            limits(1),
            fleet(oldDown(0), old(1), old(2)),
            "0"),
        arguments(
            "done without being Ready, and down all the same",
            rollout(3).withNodes(List.of(record(0, false), record(1, true), record(2, true))),
            limits(1),
            fleet(starting(0), old(1), old(2)),
            ""),
        arguments(
            "within what may be unavailable others go on",
            rollout(3).withNodes(List.of(record(0, false), record(1, true), record(2, true))),
            limits(2),
            fleet(starting(0), old(1), old(2)),
            "2"),
        arguments(
            "all behind for a moment: one by one",
            rollout(3),
            limits(1),
            fleet(behind(0), behind(1), behind(2)),
            "2"),
        arguments(
            "behind before Ready ones, within the same limit",
            rollout(4),
            limits(2),
            fleet(behind(0), old(1), old(2), old(3)),
            "0 3"),
        arguments(
            "one that was behind is taken until it is Ready",
            rollout(3, 2),
            limits(1),
            fleet(behind(0), behind(1), starting(2)),
            ""),
        arguments(
            "one that has long been behind only until it runs the template",
            rollout(2, 1).withNodes(List.of(record(0, false), record(1, false))),
            limits(1),
            fleet(stalled(behind(0), "Unknown"), starting(1)),
            "0"));
  }

  static Stream<Arguments> nodesThatCountForLess() {
    return Stream.of(
        arguments(
            "one that syncs for the first time is missed by nobody",
            rollout(3).withNodes(List.of(record(0, false), record(1, true), record(2, true))),
            limits(1),
            fleet(syncing(0), old(1), old(2)),
            "0 2"),
        arguments(
            "nor is it once it has the template",
            rollout(3, 0).withNodes(List.of(record(0, false), record(1, true), record(2, true))),
            limits(1),
            fleet(starting(0).withNeverReady(true), old(1), old(2)),
            "2"),
        arguments(
            "one that was taken as a healthy one is, though it has not recorded that it was Ready",
            rollout(3, 0),
            limits(1),
            fleet(starting(0).withNeverReady(true), old(1), old(2)),
            ""),
        arguments(
            "one that is stopped for a snapshot is down",
            rollout(2),
            partition(1),
            fleet(oldDown(0).withSnapshotting(true), old(1)),
            ""),
        arguments(
            "and so is one that is about to be",
            rollout(2),
            partition(1),
            fleet(old(0).withSnapshotting(true), old(1)),
            ""));
  }

  static Stream<Arguments> causes() {
    return Stream.of(
        arguments(
            "available before", new RolloutNode("fleet-0", LONG_AGO, true), "CrashLoop", true),
        arguments(
            "down for the same cause",
            new RolloutNode("fleet-0", LONG_AGO, false, "CrashLoop"),
            "CrashLoop",
            false),
        arguments(
            "down for another cause",
            new RolloutNode("fleet-0", LONG_AGO, false, "HaltedAtUpgrade"),
            "ImagePull",
            true),
        arguments(
            "down, and nobody recorded why",
            new RolloutNode("fleet-0", LONG_AGO, false),
            "CrashLoop",
            true));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("causes")
  void aStallCountsAgainstTheTemplateUnlessItWasThereBefore(
      String what, RolloutNode record, String stall, boolean counts) {
    Rollout rollout = rollout(2).withNodes(List.of(record, record(1, true)));
    List<FleetNode> fleet = fleet(stalled(starting(0).withMayRun(false), stall), old(1));

    RolloutVerdict verdict = decide(rollout, fleet, rollback(Duration.ofSeconds(2)));

    assertThat(verdict.stalled().isPresent()).isEqualTo(counts);
    assertThat(verdict.rollBack()).isEqualTo(counts);
    assertThat(verdict.admit()).isEmpty();
    assertThat(verdict.obstacle().isPresent()).isEqualTo(!counts);
  }

  @Test
  void aNodeThatSyncsForTheFirstTimeIsNoStallOfTheTemplate() {
    FleetNode syncing = stalled(starting(0).withNeverReady(true), "Unknown");

    assertThat(decide(rollout(2), fleet(syncing, old(1)), limits(1)).admit())
        .extracting(FleetNode::ordinal)
        .containsExactly(1);
  }

  @Test
  void namesTheNodeItWaitsForWithItsCauseAndTheWayOut() {
    Rollout rollout =
        rollout(2)
            .withNodes(
                List.of(new RolloutNode("fleet-0", LONG_AGO, false, "CrashLoop"), record(1, true)));
    FleetNode corrupt = stalled(starting(0).withMayRun(false), "CrashLoop");

    RolloutVerdict verdict = decide(rollout, fleet(corrupt, old(1)), limits(1));

    assertThat(verdict.obstacleWords())
        .contains(
            "waits for fleet-0, which is down (CrashLoop: the evidence); bring it back, or set"
                + " spec.paused or spec.maintenance.hold on SeiNode fleet-0 to go on without it");
    assertThat(decide(rollout, fleet(paused(corrupt), old(1)), limits(1)).admit()).hasSize(1);
  }

  @Test
  void namesNobodyWhileItsOwnNodesAreOnTheirWay() {
    assertThat(decide(rollout(2, 1), fleet(old(0), starting(1)), limits(1)).obstacle()).isEmpty();
    assertThat(decide(rollout(2), fleet(old(0), old(1)), limits(1)).obstacle()).isEmpty();
  }

  @Test
  void aCrashAfterReadyIsRolledBackAtTheDeadlineAlthoughItIsReadyAgain() {
    FleetNode crashed = crashed(readySince(done(1), NOW.minusSeconds(1)), NOW.minusSeconds(2));

    RolloutVerdict verdict =
        decide(rollout(2, 1), fleet(old(0), crashed), rollback(Duration.ofSeconds(2)));

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
        decide(rollout(2, 1), fleet(old(0), crashed), rollback(Duration.ofSeconds(2)));
    RolloutVerdict down =
        decide(
            rollout(2, 1),
            fleet(old(0), stalled(crashed, "Unknown")),
            rollback(Duration.ofSeconds(2)));

    assertThat(ready.stalled().orElseThrow().stall()).isEqualTo(reason);
    assertThat(ready.admit()).isEmpty();
    assertThat(ready.rollBack()).isEqualTo(rollsBack);
    assertThat(down.rollBack()).isEqualTo(rollsBack);
  }

  @Test
  void aRolloutIsNotDoneWhileACrashCounts() {
    FleetNode crashed = crashed(readySince(done(0), NOW.minusSeconds(60)), LONG_AGO);

    RolloutVerdict verdict = decide(rollout(1, 0), fleet(crashed), limits(1));

    assertThat(verdict.done()).isFalse();
    assertThat(verdict.recheck()).contains(Duration.ofSeconds(540));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"nodesThatAreDown", "nodesThatCountForLess"})
  void admits(String what, Rollout rollout, Limits limits, List<FleetNode> fleet, String expected) {
    assertThat(decide(rollout, fleet, limits).admit())
        .extracting(node -> String.valueOf(node.ordinal()))
        .isEqualTo(expected.isEmpty() ? List.of() : List.of(expected.split(" ")));
  }

  private static RolloutVerdict decide(Rollout rollout, List<FleetNode> fleet, Limits limits) {
    return RolloutPolicy.decide(rollout, fleet, limits, NOW);
  }

  private static List<FleetNode> fleet(FleetNode... nodes) {
    return List.of(nodes);
  }

  private static RolloutNode record(int ordinal, boolean wasAvailable) {
    return new RolloutNode(Fleets.name(ordinal), null, wasAvailable);
  }
}
