package io.sei.operator.node.sync;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeidStart;
import io.sei.operator.api.v1alpha1.SeidStartBuilder;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.base.Answer;
import io.sei.operator.base.Poller;
import io.sei.operator.base.Polling;
import io.sei.operator.base.Text;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.SeidState;
import io.sei.operator.diagnosis.StartLog;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.FindingRank;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.node.feature.Witnesses;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.reconcile.ConditionProposal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BinaryOperator;

/**
 * A seid that was just given its pod or its image replays blocks, migrates its data or restores a
 * state before it listens, which may take hours and must not be interrupted. Until it listens the
 * node is Starting and not stalled, up to a deadline of its own. What it is busy with is read from
 * its log, after a minute, and then whenever it has started for twice as long: what is said of it
 * changes a dozen times in a day, and not with each block.
 */
final class Starting {

  /**
   * Interval for a node whose seid listens, is not Ready and logs nothing: no event triggers a
   * reconcile.
   */
  private static final Duration LOOK = Duration.ofMinutes(5);

  private static final Duration AGAIN = Duration.ofMinutes(1);

  private static final int MAX_WORDS = 240;

  private static final String NEXT_STEP =
      "if its log shows that it gets on, raise spec.startDeadlineSeconds and let it; do not restart"
          + " it in the middle of a migration, and do not go back to an older image, which would"
          + " damage data that is half migrated";

  /**
   * @param turn how often the log of the run was due to be read
   */
  private record Question(String namespace, String pod, String run, int turn) {}

  private final SyncPoller poller;
  private final Poller<ResourceID, Question, String> logs;

  /**
   * @param log reads the end of the log of seid, by namespace and pod
   */
  Starting(SyncPoller poller, BinaryOperator<String> log, Polling<ResourceID> polling) {
    this.poller = poller;
    this.logs =
        Poller.waiting(
            polling,
            question -> StartLog.busyWith(log.apply(question.namespace(), question.pod())));
  }

  void conditions(ConditionParts conditions) {
    conditions
        .record(this::record)
        .gauge(
            GaugeRow.value(
                "sei_node_start_began_seconds",
                "When the start of seid that is under way began, in seconds since 1970; absent"
                    + " while none is",
                node ->
                    Optional.ofNullable(node.getStatus().start())
                        .filter(start -> !start.hasEnded())
                        .map(SeidStart::since)
                        .map(Instant::getEpochSecond)));
  }

  void record(NodePass pass) {
    Optional<SeidStart> start =
        start(pass).map(known -> known.hasEnded() ? known : withWords(pass, known));
    pass.update(status -> status.withStart(start.orElse(null)));
    start.filter(known -> !known.hasEnded()).ifPresent(known -> report(pass, known));
  }

  private Optional<SeidStart> start(NodePass pass) {
    NodeView view = pass.view();
    Optional<Pod> pod = view.livePod();
    if (pod.filter(PodFacts::isReady).isPresent()) {
      return Optional.empty();
    }
    boolean mayBegin =
        isPlanless(pass)
            && !view.isPaused()
            && !view.isSidecarWaiting()
            && pod.filter(live -> !PodFacts.isIdle(live)).isPresent();
    SeidState seid = SeidState.of(pod.orElse(null));
    // Without peers seid listens but has no block, and its startup probe never succeeds.
    boolean lacksBlock =
        poller.observe(view).heights().filter(known -> known.height() == 0).isPresent();
    boolean listens = seid.hasStarted() || lacksBlock;
    return after(
        Optional.ofNullable(pass.draft().start()),
        seid,
        mayBegin && !listens,
        !listens || isStateSyncToCome(view),
        pass.now());
  }

  /**
   * Returns a start as it was just observed.
   *
   * @param mayBegin whether the run may be one that starts
   * @param goesOn whether one that starts has still to
   */
  static Optional<SeidStart> after(
      Optional<SeidStart> before, SeidState seid, boolean mayBegin, boolean goesOn, Instant now) {
    Optional<String> goingOn = seid.running().filter(run -> goesOn);
    Optional<SeidStart> known =
        before.map(
            start ->
                start.hasEnded() || goingOn.filter(start::isOf).isPresent()
                    ? start
                    : start.withUntil(now));
    return seid.running()
        .filter(run -> mayBegin && seid.isFirstStart())
        .filter(run -> known.filter(start -> start.isOf(run)).isEmpty())
        .map(run -> SeidStartBuilder.builder().containerID(run).since(now).build())
        .or(() -> known);
  }

  /** The wait of a plan has its own deadline, and a failed plan reports its cause. */
  private static boolean isPlanless(NodePass pass) {
    TaskPlan plan = pass.draft().plan();
    return plan == null ? pass.view().isRunning() : plan.phase() == PlanPhase.COMPLETE;
  }

  private static boolean isStateSyncToCome(NodeView view) {
    return Witnesses.areWanted(view.node().getSpec()) && view.stored().syncedAt() == null;
  }

  private SeidStart withWords(NodePass pass, SeidStart start) {
    int due = turn(start, pass.now());
    int had = start.seenAt() == null ? 0 : turn(start, start.seenAt());
    return due <= had ? start : read(pass, start, due);
  }

  private SeidStart read(NodePass pass, SeidStart start, int turn) {
    var pod = pass.view().livePod().orElseThrow().getMetadata();
    var question = new Question(pod.getNamespace(), pod.getName(), start.containerID(), turn);
    return logs.read(
            ResourceID.fromResource(pass.node()),
            question,
            Poller.Demand.once(AGAIN),
            Starting::words)
        .map(words -> start.with(next -> next.busyWith(words).seenAt(pass.now())))
        .orElse(start);
  }

  private static Optional<String> words(Answer<String> answer) {
    return answer instanceof Answer.Failed<String> failed
        ? Optional.of(Text.line("its log cannot be read: " + failed.why().getMessage(), MAX_WORDS))
        : answer.value();
  }

  /** 0 in the first minute, 1 in the second, 2 in the two after that, 3 in the four after those. */
  static int turn(SeidStart start, Instant at) {
    long minutes = Math.max(0, Duration.between(start.since(), at).toMinutes());
    return Long.SIZE - Long.numberOfLeadingZeros(minutes);
  }

  private static void report(NodePass pass, SeidStart start) {
    Instant deadline = deadline(pass, start);
    if (pass.now().isBefore(deadline)) {
      pass.offer(
          Rank.Ready.POD_NOT_READY,
          ConditionProposal.no(NodeReason.STARTING, words(pass, start, deadline)));
      if (isPlanless(pass)) {
        pass.suspendDeadline("seid is starting, for which it has until " + deadline);
      }
      Instant next = start.since().plus(Duration.ofMinutes(1L << turn(start, pass.now())));
      pass.recheckAfter(Duration.between(pass.now(), next.isBefore(deadline) ? next : deadline));
    } else {
      pass.offer(FindingRank.START_OVERDUE, overdue(pass, start));
    }
    pass.recheckAfter(LOOK);
  }

  private static Instant deadline(NodePass pass, SeidStart start) {
    return start.since().plus(pass.node().getSpec().startDeadline());
  }

  private static String words(NodePass pass, SeidStart start, Instant deadline) {
    return "seid has been starting since %s and does not serve yet: %s; it has until %s (spec.startDeadlineSeconds)"
        .formatted(start.since(), work(pass, start), deadline);
  }

  private static Finding overdue(NodePass pass, SeidStart start) {
    return new Finding(
        StallReason.START_DEADLINE_EXCEEDED,
        "seid has been starting since %s, which is longer than the start deadline of %d s: %s"
            .formatted(
                start.since(),
                pass.node().getSpec().startDeadline().toSeconds(),
                work(pass, start)),
        NEXT_STEP,
        true);
  }

  private static String work(NodePass pass, SeidStart start) {
    if (start.busyWith() != null) {
      return "%s (at %s)".formatted(start.busyWith(), start.seenAt());
    }
    return isStateSyncToCome(pass.view())
        ? "it restores the state that it begins with, first"
        : "it replays blocks, or migrates its data, first";
  }
}
