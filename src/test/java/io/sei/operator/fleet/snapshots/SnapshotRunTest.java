package io.sei.operator.fleet.snapshots;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sei.operator.api.v1alpha1.FleetDataVolume.Snapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Phase;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Request;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Run;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Taken;
import io.sei.operator.api.v1alpha1.FleetSnapshotsRunBuilder;
import io.sei.operator.api.v1alpha1.NodeStop;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.snapshots.SnapshotRun.Seen;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Decides the next state of a snapshot in progress. */
class SnapshotRunTest {

  private static final Instant BEGUN = Instant.parse("2026-06-01T12:00:00Z");
  private static final Instant SOON = BEGUN.plusSeconds(30);
  private static final Instant OVER = BEGUN.plus(Duration.ofMinutes(10)).minusSeconds(15);
  private static final Instant CUT = BEGUN.plusSeconds(20);
  private static final Instant SET_BACK = BEGUN.minusSeconds(301);
  private static final Instant TOMORROW = BEGUN.plus(Duration.ofHours(24));
  private static final String NAMED = "VolumeSnapshot fleet-1-x";
  private static final String NOT_STOPPED = "node fleet-1 did not stop within 10 minutes";
  private static final String NOT_TAKEN = NAMED + " was not taken while the node was stopped";
  private static final String NOT_OURS = NAMED + " was not created by this operator";
  private static final String REMOVED = "spec.dataVolume.snapshots was removed";

  private static final ObservedSnapshot MADE = new ObservedSnapshot(true, false, null, false, null);
  private static final ObservedSnapshot TAKEN = new ObservedSnapshot(true, false, CUT, false, null);
  private static final ObservedSnapshot READY = new ObservedSnapshot(true, false, CUT, true, null);
  private static final ObservedSnapshot GOING = new ObservedSnapshot(true, true, CUT, true, null);
  private static final ObservedSnapshot FOREIGN =
      new ObservedSnapshot(false, false, CUT, true, null);
  private static final ObservedSnapshot FULL =
      new ObservedSnapshot(true, false, null, false, "no space");

  private static final Seen RUNS = seen(true, true, false, false, true, null);
  private static final Seen UNMARKED = seen(true, true, false, true, false, null);
  private static final Seen STOPPED = seen(true, true, true, true, false, null);

  static Stream<Arguments> steps() {
    return Stream.of(
        step("the pod runs", Phase.STOPPING, RUNS, Phase.STOPPING),
        step("it has no annotation yet", Phase.STOPPING, UNMARKED, Phase.STOPPING),
        step("the pod is gone", Phase.STOPPING, STOPPED, Phase.TAKING),
        fails("the pod does not stop", Phase.STOPPING, RUNS, OVER, NOT_STOPPED),
        fails("it stops too late", Phase.STOPPING, STOPPED, OVER, NOT_STOPPED),
        fails("the clock was set back", Phase.STOPPING, RUNS, SET_BACK, NOT_STOPPED),
        fails("no schedule any more", Phase.STOPPING, unwanted(null), SOON, REMOVED),
        step("nothing made yet", Phase.TAKING, STOPPED, Phase.TAKING),
        step("not taken yet", Phase.TAKING, stopped(MADE), Phase.TAKING),
        step("taken", Phase.TAKING, stopped(TAKEN), Phase.STARTING),
        step("taken, ready", Phase.TAKING, stopped(READY), Phase.STARTING),
        fails("the driver never answers", Phase.TAKING, stopped(MADE), OVER, NOT_TAKEN),
        fails("taken too late", Phase.TAKING, stopped(READY), OVER, NOT_TAKEN),
        fails("no schedule any more", Phase.TAKING, unwanted(MADE), SOON, REMOVED),
        fails("somebody else's", Phase.TAKING, stopped(FOREIGN), SOON, NOT_OURS),
        step("an error may go away", Phase.TAKING, stopped(FULL), Phase.TAKING),
        fails("and does not", Phase.TAKING, stopped(FULL), OVER, NAMED + ": no space"));
  }

  static Stream<Arguments> stepsOfOthers() {
    Seen goes = seen(true, false, false, false, false, MADE);
    Seen ran = seen(true, true, true, false, false, TAKEN);
    Seen started = seen(true, true, false, true, false, TAKEN);
    Seen startedMeanwhile = seen(true, true, false, false, false, FULL);
    return Stream.of(
        fails("the node goes", Phase.TAKING, goes, SOON, "node fleet-1 is being deleted"),
        fails("taken, though the node ran", Phase.TAKING, ran, SOON, NOT_TAKEN),
        fails("somebody started the node", Phase.TAKING, started, SOON, NOT_TAKEN),
        fails("and it erred", Phase.TAKING, startedMeanwhile, SOON, NAMED + ": no space"));
  }

  private static Arguments step(String what, Phase before, Seen seen, Phase after) {
    return arguments(what, before, seen, SOON, after, null);
  }

  private static Arguments fails(String what, Phase before, Seen seen, Instant now, String error) {
    return arguments(what, before, seen, now, Phase.STARTING, error);
  }

  @ParameterizedTest(name = "{1}: {0}")
  @MethodSource({"steps", "stepsOfOthers"})
  void nodeIsStoppedForNoLongerThanItTakes(
      String what, Phase before, Seen seen, Instant now, Phase after, String error) {
    Run run = SnapshotRun.next(record(run(before)), seen, now).active();

    assertThat(run.phase()).isEqualTo(after);
    assertThat(run.error()).isEqualTo(error);
    assertThat(run.startedAt()).isEqualTo(after == Phase.STARTING ? now : null);
  }

  static Stream<Arguments> culprits() {
    return Stream.of(
        arguments("it reports an error", Phase.TAKING, stopped(FULL), OVER, true),
        arguments("it never answers", Phase.TAKING, stopped(MADE), OVER, true),
        arguments("the operator was away", Phase.TAKING, STOPPED, OVER, false),
        arguments("and did not see it taken", Phase.TAKING, stopped(TAKEN), OVER, false),
        arguments("somebody started the node", Phase.TAKING, RUNS, SOON, false),
        arguments("the pod did not stop", Phase.STOPPING, RUNS, OVER, false),
        arguments("it never is ready", Phase.FINISHING, back(TAKEN), TOMORROW, true));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("culprits")
  void onlyWhatTheDriverFailsSuspendsTheSchedule(
      String what, Phase before, Seen seen, Instant now, boolean isDriver) {
    var asked = new Request(new Snapshots("0 3 * * *", "class", null, null), "retry");
    Run run = run(before).with(builder -> builder.asked(asked).startedAt(SOON).creationTime(null));
    Run failed = SnapshotRun.next(record(run), seen, now).active();
    assertThat(failed.error()).isNotNull();

    FleetSnapshots ended = SnapshotRun.next(record(failed), back(null), now);

    assertThat(ended.active()).isNull();
    assertThat(ended.suspended()).isEqualTo(isDriver ? asked : null);
  }

  @Test
  void heightIsThatOfTheStoppedNode() {
    assertThat(SnapshotRun.next(record(run(Phase.STOPPING)), STOPPED, SOON).active().height())
        .isEqualTo(7L);
  }

  @Test
  void nodeIsWaitedForAndThenTheSnapshot() {
    FleetSnapshots starting =
        record(run(Phase.STARTING).with(builder -> builder.startedAt(SOON).creationTime(CUT)));

    assertThat(SnapshotRun.next(starting, seen(true, true, false, false, false, READY), SOON))
        .isEqualTo(starting);
    FleetSnapshots finishing =
        SnapshotRun.next(starting, seen(true, true, false, false, true, TAKEN), SOON);
    assertThat(finishing.active().phase()).isEqualTo(Phase.FINISHING);
    assertThat(SnapshotRun.next(finishing, back(TAKEN), SOON)).isEqualTo(finishing);

    FleetSnapshots ready = SnapshotRun.next(finishing.withMessage("before"), back(READY), SOON);

    assertThat(ready.active()).isNull();
    assertThat(ready.message()).isNull();
    assertThat(ready.latest()).isEqualTo(new Taken("fleet-1-x", "fleet-1", null, CUT));
  }

  @Test
  void nodeThatDoesNotComeBackIsNotWaitedForLong() {
    FleetSnapshots starting = record(run(Phase.STARTING).withStartedAt(SOON));
    Seen away = seen(true, true, false, false, false, TAKEN);

    assertThat(SnapshotRun.next(starting, away, SOON.plus(Duration.ofMinutes(10))).active().phase())
        .isEqualTo(Phase.FINISHING);
  }

  @Test
  void failureIsOverOnceItsSnapshotIsDeleted() {
    FleetSnapshots failed =
        record(run(Phase.STARTING).with(builder -> builder.startedAt(SOON).error("why")))
            .withFailures(2);

    assertThat(SnapshotRun.next(failed, back(MADE), SOON)).isEqualTo(failed);
    for (ObservedSnapshot left : new ObservedSnapshot[] {null, GOING, FOREIGN}) {
      assertThat(SnapshotRun.next(failed, back(left), SOON))
          .isEqualTo(failed.with(builder -> builder.active(null).failures(3).message("why")));
    }
  }

  @Test
  void snapshotThatIsNeverReadyFails() {
    FleetSnapshots finishing =
        record(run(Phase.FINISHING).with(builder -> builder.startedAt(SOON).creationTime(CUT)));

    assertThat(SnapshotRun.next(finishing, back(null), SOON).active().error())
        .isEqualTo(NAMED + " was deleted before it was ready to use");
    assertThat(SnapshotRun.next(finishing, back(TAKEN), TOMORROW.minusSeconds(1)))
        .isEqualTo(finishing);
    assertThat(SnapshotRun.next(finishing, back(FULL), TOMORROW).active().error())
        .isEqualTo(NAMED + " is not ready to use after 24 hours: no space");
  }

  /** Its pod may be Ready until it is deleted, and the fleet may give a snapshot up before that. */
  @Test
  void readyNodeIsNotBackBeforeItHasRecordedThatItStartsAgain() {
    SeiNode ready = aNode("sei:a").ready().build();
    NodeSample stopping =
        aNode("sei:a")
            .ready()
            .status(status -> status.withStopped(new NodeStop("fleet-1-x", OVER, null)));

    assertThat(isBack(ready)).isTrue();
    assertThat(isBack(stopping.build())).isFalse();
    assertThat(isBack(stopping.spec(spec -> spec.withPaused(true)).build())).isTrue();
  }

  private static boolean isBack(SeiNode node) {
    return SnapshotRuns.isBack(FleetNode.of(node, 0), node);
  }

  private static FleetSnapshots record(Run run) {
    return FleetSnapshots.empty().withActive(run);
  }

  private static Run run(Phase phase) {
    return FleetSnapshotsRunBuilder.builder()
        .node("fleet-1")
        .snapshot("fleet-1-x")
        .phase(phase)
        .stoppedAt(BEGUN)
        .deadline(BEGUN.plus(Duration.ofMinutes(10)))
        .build();
  }

  private static Seen stopped(ObservedSnapshot snapshot) {
    return seen(true, true, true, true, false, snapshot);
  }

  private static Seen unwanted(ObservedSnapshot snapshot) {
    return seen(false, true, true, true, false, snapshot);
  }

  private static Seen back(ObservedSnapshot snapshot) {
    return seen(true, true, false, false, true, snapshot);
  }

  private static Seen seen(
      boolean wanted,
      boolean node,
      boolean stopped,
      boolean podGone,
      boolean back,
      ObservedSnapshot snapshot) {
    return new Seen(wanted, node, stopped, podGone, back, 7L, Optional.ofNullable(snapshot));
  }
}
