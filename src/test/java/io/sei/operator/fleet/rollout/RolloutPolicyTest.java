package io.sei.operator.fleet.rollout;

import static io.sei.operator.fleet.Fleets.LONG_AGO;
import static io.sei.operator.fleet.Fleets.NOW;
import static io.sei.operator.fleet.Fleets.crashed;
import static io.sei.operator.fleet.Fleets.done;
import static io.sei.operator.fleet.Fleets.limits;
import static io.sei.operator.fleet.Fleets.minReady;
import static io.sei.operator.fleet.Fleets.old;
import static io.sei.operator.fleet.Fleets.oldDown;
import static io.sei.operator.fleet.Fleets.partition;
import static io.sei.operator.fleet.Fleets.paused;
import static io.sei.operator.fleet.Fleets.readySince;
import static io.sei.operator.fleet.Fleets.rollback;
import static io.sei.operator.fleet.Fleets.rolling;
import static io.sei.operator.fleet.Fleets.rollout;
import static io.sei.operator.fleet.Fleets.stalled;
import static io.sei.operator.fleet.Fleets.starting;
import static io.sei.operator.fleet.Fleets.terminating;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.fleet.Fleets;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.Limits;
import io.sei.operator.fleet.model.RolloutVerdict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What may roll next. */
class RolloutPolicyTest {

  /** What no image changes, or what an older one would make worse. */
  private static final Set<StallReason> NO_ROLLBACK =
      Set.of(
          StallReason.HALTED_AT_UPGRADE,
          StallReason.IMAGE_TOO_EARLY,
          StallReason.HALTED_BY_CONFIGURATION,
          StallReason.HEIGHT_STANDS_STILL,
          StallReason.START_DEADLINE_EXCEEDED,
          StallReason.APP_HASH_MISMATCH,
          StallReason.DATA_CORRUPT,
          StallReason.GENESIS_MISMATCH,
          StallReason.SIGNING_ELSEWHERE,
          StallReason.SIGNING_STATE_UNREADABLE,
          StallReason.DISK_FULL,
          StallReason.DATA_LOCKED,
          StallReason.PORT_TAKEN,
          StallReason.STATE_SYNC_FAILED,
          StallReason.PEERS_NONE);

  static Stream<Arguments> admissions() {
    return Stream.of(
        arguments("the highest ordinal", rollout(3), limits(1), fleet(old(0), old(1), old(2)), "2"),
        arguments(
            "as many as allowed", rollout(3), limits(2), fleet(old(0), old(1), old(2)), "2 1"),
        arguments(
            "more allowed than there are", rollout(2), limits(100), fleet(old(0), old(1)), "1 0"),
        arguments(
            "unavailable ones for free",
            rollout(3),
            limits(1),
            fleet(oldDown(0), old(1), old(2)),
            "0"),
        arguments(
            "none while one is under way",
            rollout(3, 2),
            limits(1),
            fleet(old(0), old(1), rolling(2)),
            ""),
        arguments(
            "none while one starts", rollout(2, 1), limits(1), fleet(old(0), starting(1)), ""),
        arguments(
            "the next one after", rollout(3, 2), limits(1), fleet(old(0), old(1), done(2)), "1"),
        arguments(
            "one admitted counts before its spec is written",
            rollout(2, 1),
            limits(1),
            fleet(old(0), old(1)),
            ""),
        arguments(
            "what became unready uses the budget and is free itself",
            rollout(3),
            limits(1),
            fleet(old(0), old(1), oldDown(2)),
            "2"));
  }

  static Stream<Arguments> specialNodes() {
    return Stream.of(
        arguments(
            "none below the partition",
            rollout(3),
            partition(3),
            fleet(old(0), old(1), old(2)),
            ""),
        arguments(
            "unready below the partition uses the budget",
            rollout(2),
            partition(1),
            fleet(oldDown(0), old(1)),
            ""),
        arguments(
            "a paused one is skipped and costs nothing",
            rollout(3),
            limits(1),
            fleet(old(0), old(1), paused(old(2))),
            "1"),
        arguments(
            "one paused after its turn costs nothing",
            rollout(3, 2),
            limits(1),
            fleet(old(0), old(1), paused(rolling(2))),
            "1"),
        arguments(
            "one whose data is at risk is skipped and costs nothing",
            rollout(3),
            limits(1),
            fleet(old(0), old(1), old(2).withAtRisk(true)),
            "1"),
        arguments(
            "one whose data was put at risk after its turn may go down at any moment",
            rollout(3, 2),
            limits(1),
            fleet(old(0), old(1), old(2).withAtRisk(true)),
            ""),
        arguments(
            "a terminating one is ignored",
            rollout(3),
            limits(1),
            fleet(old(0), old(1), terminating(old(2))),
            "1"));
  }

  static Stream<Arguments> stalls() {
    return Stream.of(
        arguments(
            "a stall holds, also what is free",
            rollout(3, 2),
            limits(3),
            fleet(oldDown(0), old(1), stalled(starting(2), "ImagePull")),
            ""),
        arguments(
            "a stall on the old template does not hold",
            rollout(2),
            limits(1),
            fleet(old(0), stalled(oldDown(1), "CrashLoop")),
            "1"),
        arguments(
            "a crash after it was Ready holds at once, though it is Ready again",
            rollout(2, 1),
            limits(1),
            fleet(old(0), crashed(readySince(done(1), NOW.minusSeconds(599)), LONG_AGO)),
            ""),
        arguments(
            "one that has been Ready for the progress deadline since holds no more",
            rollout(2, 1),
            limits(1),
            fleet(old(0), crashed(readySince(done(1), NOW.minusSeconds(600)), LONG_AGO)),
            "0"),
        arguments(
            "a crash on the old template does not hold",
            rollout(2),
            limits(1),
            fleet(old(0), crashed(old(1), LONG_AGO)),
            "1"),
        arguments(
            "a paused node's stall does not hold",
            rollout(2, 1),
            limits(1),
            fleet(old(0), paused(stalled(starting(1), "ImagePull"))),
            "0"));
  }

  static Stream<Arguments> waits() {
    return Stream.of(
        arguments(
            "not ready for long enough",
            rollout(2, 1),
            minReady(Duration.ofSeconds(30)),
            fleet(old(0), readySince(done(1), NOW.minusSeconds(29))),
            ""),
        arguments(
            "just ready for long enough",
            rollout(2, 1),
            minReady(Duration.ofSeconds(30)),
            fleet(old(0), readySince(done(1), NOW.minusSeconds(30))),
            "0"),
        arguments(
            "Ready for less than half a minute where nothing is said",
            rollout(2, 1),
            minReady(null),
            fleet(old(0), readySince(done(1), NOW.minusSeconds(29))),
            ""),
        arguments(
            "Ready for half a minute where nothing is said",
            rollout(2, 1),
            minReady(null),
            fleet(old(0), readySince(done(1), NOW.minusSeconds(30))),
            "0"),
        arguments(
            "caught up by its own word",
            rollout(2, 1),
            minReady(null),
            fleet(old(0), readySince(done(1), NOW).withCaughtUp(true)),
            "0"),
        arguments(
            "caught up, but a time is asked for",
            rollout(2, 1),
            minReady(Duration.ofSeconds(30)),
            fleet(old(0), readySince(done(1), NOW).withCaughtUp(true)),
            ""),
        arguments(
            "ready since a moment to come, so since now",
            rollout(2, 1),
            limits(1),
            fleet(old(0), readySince(done(1), Instant.MAX)),
            "0"),
        arguments(
            "ready since a moment to come is not long enough",
            rollout(2, 1),
            minReady(Duration.ofSeconds(30)),
            fleet(old(0), readySince(done(1), Instant.MAX)),
            ""),
        arguments(
            "a node added meanwhile is no obstacle",
            rollout(2, 1),
            limits(1),
            fleet(old(0), done(1), starting(2).withNeverReady(true)),
            "0"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"admissions", "specialNodes", "stalls", "waits"})
  void admits(String what, Rollout rollout, Limits limits, List<FleetNode> fleet, String expected) {
    String admitted =
        String.join(
            " ",
            decide(rollout, fleet, limits).admit().stream()
                .map(node -> String.valueOf(node.ordinal()))
                .toList());

    assertThat(admitted).isEqualTo(expected);
  }

  static Stream<Arguments> ends() {
    return Stream.of(
        arguments("all there", rollout(2, 0, 1), limits(1), fleet(done(0), done(1)), true, true),
        arguments("one to come", rollout(2, 1), limits(1), fleet(old(0), done(1)), false, false),
        arguments(
            "one on its way", rollout(2, 0, 1), limits(1), fleet(rolling(0), done(1)), true, false),
        arguments(
            "one not ready", rollout(2, 0, 1), limits(1), fleet(starting(0), done(1)), true, false),
        arguments(
            "those of the partition",
            rollout(2, 1),
            partition(1),
            fleet(old(0), done(1)),
            true,
            true),
        arguments(
            "all but a paused one",
            rollout(2, 1),
            limits(1),
            fleet(paused(old(0)), done(1)),
            true,
            true),
        arguments(
            "all but a terminating one",
            rollout(2, 1),
            limits(1),
            fleet(terminating(old(0)), done(1)),
            true,
            true));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ends")
  void knowsWhenEveryTurnHasComeAndWhenAllAreThere(
      String what,
      Rollout rollout,
      Limits limits,
      List<FleetNode> fleet,
      boolean admitted,
      boolean done) {
    RolloutVerdict verdict = decide(rollout, fleet, limits);

    assertThat(verdict.admitted()).isEqualTo(admitted);
    assertThat(verdict.done()).isEqualTo(done);
  }

  @Test
  void aNodeThatWasUnavailableBeforeIsDoneWithoutBeingReady() {
    var rollout = new Rollout(Fleets.NEW, LONG_AGO, List.of(record(0, false)));

    assertThat(decide(rollout, fleet(starting(0)), limits(1)).done()).isTrue();
  }

  @Test
  void aWholeFleetThatIsDownRollsAtOnce() {
    var rollout =
        new Rollout(
            Fleets.NEW, LONG_AGO, List.of(record(0, false), record(1, false), record(2, false)));

    assertThat(decide(rollout, fleet(oldDown(0), oldDown(1), oldDown(2)), limits(1)).admit())
        .hasSize(3);
  }

  @ParameterizedTest
  @EnumSource(StallReason.class)
  void rollsBackOnlyWhereTheOldImageHelps(StallReason reason) {
    FleetNode stalled = stalled(starting(1), reason.toString());

    boolean back =
        decide(rollout(2, 1), fleet(old(0), stalled), rollback(Duration.ofSeconds(2))).rollBack();

    assertThat(back).isEqualTo(!NO_ROLLBACK.contains(reason));
  }

  @Test
  void doesNotRollBackBeforeTheDeadlineAndLooksAgainThen() {
    FleetNode stalled = stalled(starting(1), "ImagePull");

    RolloutVerdict verdict =
        decide(rollout(2, 1), fleet(old(0), stalled), rollback(Duration.ofSeconds(3605)));

    assertThat(verdict.rollBack()).isFalse();
    assertThat(verdict.stalled()).contains(stalled);
    assertThat(verdict.recheck()).contains(Duration.ofSeconds(5));
  }

  @Test
  void deadlineOfARollbackCountsFromTheStallAndNotFromTheTurn() {
    FleetNode stalled = stalled(starting(1), "ImagePull").withStalledSince(NOW.minusSeconds(599));

    RolloutVerdict verdict =
        decide(rollout(2, 1), fleet(old(0), stalled), rollback(Duration.ofSeconds(600)));

    assertThat(verdict.rollBack()).isFalse();
    assertThat(verdict.recheck()).contains(Duration.ofSeconds(1));
  }

  @Test
  void holdsForEverIfNotToldToRollBack() {
    RolloutVerdict verdict =
        decide(rollout(2, 1), fleet(old(0), stalled(starting(1), "ImagePull")), limits(1));

    assertThat(verdict.rollBack()).isFalse();
    assertThat(verdict.recheck()).isEmpty();
  }

  @Test
  void looksAgainWhenANodeHasBeenReadyLongEnough() {
    FleetNode ready = readySince(done(1), NOW.minusSeconds(10));

    assertThat(
            decide(rollout(2, 1), fleet(old(0), ready), minReady(Duration.ofSeconds(30))).recheck())
        .contains(Duration.ofSeconds(20));
  }

  @Test
  void aRolloutWithoutNodesOfAnotherOperatorIsGoneOnWith() {
    var rollout = new Rollout(Fleets.NEW, LONG_AGO, null);

    assertThat(decide(rollout, fleet(old(0), old(1)), limits(1)).admit()).hasSize(1);
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
