package io.sei.operator.node.status;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.Progress;
import io.sei.operator.api.v1alpha1.SeidStart;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.CauseOfDeath;
import io.sei.operator.diagnosis.CrashLoops;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Start of a node's wait: the start of the current task or, without a plan, the loss of readiness,
 * or the end of the last cause of a stall. A pod in a crash loop may be Ready for a moment again
 * and again, which is no progress: without a plan the loop counts from its beginning.
 */
final class Waiting {

  private final NodePass pass;
  private final NodeView view;
  private final Duration limit;

  private Waiting(NodePass pass, Duration limit) {
    this.pass = pass;
    this.view = pass.view();
    this.limit = limit;
  }

  /** Returns the start of the wait; empty if the node does not wait. */
  static Optional<Instant> since(NodePass pass, Duration limit) {
    var waiting = new Waiting(pass, limit);
    return waiting.since().map(since -> latest(since, waiting.recoveredAt()));
  }

  private Optional<Instant> since() {
    TaskPlan plan = timed(pass.draft().plan());
    if (view.isPaused()) {
      return pass.conflict().map(conflict -> view.now());
    }
    if (plan == null && view.isIdle() && view.isHeld()) {
      // A person who works on the volume is not waited for; one who is to find a signer is.
      return Optional.ofNullable(pass.draft().signingElsewhere())
          .map(elsewhere -> elsewhere.foundAt());
    }
    if (plan != null && (plan.isActive() || plan.isFailed())) {
      return Optional.of(latest(triedSince(plan), pass.draft().pausedChangedAt()));
    }
    // A plan that just completed makes the node Running, in the same write. One that has neither,
    // and a StatefulSet, has yet to show whether it has run.
    boolean running = pass.draft().phase() == NodePhase.RUNNING || plan != null;
    return running || pass.draft().statefulSet() != null || pass.conflict().isPresent()
        ? unreadySince().or(() -> stalledByCrashLoopSince())
        : Optional.empty();
  }

  /** Plans for one target that fail one after the other are one wait, not many short ones. */
  private Instant triedSince(TaskPlan plan) {
    Instant begun = plan.currentTask().map(PlannedTask::startedAt).orElse(plan.startedAt());
    boolean again = plan.attempt() != null && plan.attempt() > 0;
    return pass.draft()
        .upToDateChangedAt()
        .filter(since -> again && since.isBefore(begun))
        .orElse(begun);
  }

  /** A plan of another operator knows no times; one of ours is about to take its place. */
  private static TaskPlan timed(TaskPlan plan) {
    return plan == null || plan.startedAt() == null ? null : plan;
  }

  private Optional<Instant> unreadySince() {
    return Optional.ofNullable(pass.draft().unreadySince())
        .map(since -> crashLoopSince(pass).filter(since::isAfter).orElse(since))
        .map(since -> sinceExpected(since));
  }

  /**
   * Returns the start of the crash loop for which the node is stalled, if it is older than the
   * deadline. A new pod that crashed at its start and becomes Ready within the deadline has
   * recovered.
   */
  private Optional<Instant> stalledByCrashLoopSince() {
    Instant overdue = view.now().minus(limit);
    return progress()
        .filter(stalled -> isLooping(pass, stalled))
        .flatMap(stalled -> crashLoopSince(pass))
        .map(since -> sinceExpected(since))
        .filter(since -> !since.isAfter(overdue));
  }

  /** A pod is expected to be unready while its node is paused, a plan is active or seid starts. */
  private Instant sinceExpected(Instant since) {
    Instant changed =
        latest(latest(since, pass.draft().upToDateChangedAt()), pass.draft().pausedChangedAt());
    return latest(changed, Optional.ofNullable(pass.draft().start()).map(SeidStart::until));
  }

  private static Instant latest(Instant one, Optional<Instant> other) {
    return other.filter(one::isBefore).orElse(one);
  }

  private Optional<Instant> recoveredAt() {
    return progress().filter(progress -> !progress.isStalled()).map(Progress::since);
  }

  private Optional<Progress> progress() {
    return Optional.ofNullable(pass.draft().progress());
  }

  /** The record outlives moments of readiness, and stays during the loop. */
  static void recordCrashLoop(NodePass pass, Optional<Finding> finding) {
    Instant now = pass.view().now();
    Optional<Pod> looping = pass.view().livePod().filter(pod -> CrashLoops.isIn(pod, now));
    Optional<Instant> known =
        crashLoopSince(pass).filter(since -> looping.isPresent() && !since.isAfter(now));
    Optional<Instant> begun =
        looping
            .flatMap(pod -> finding)
            .filter(candidate -> CauseOfDeath.isCrash(candidate.reason()))
            .map(found -> now);
    pass.update(status -> status.withCrashLoopSince(known.or(() -> begun).orElse(null)));
    looping
        .flatMap(pod -> CrashLoops.endOf(pod, now))
        .ifPresent(over -> pass.recheckAfter(Duration.between(now, over)));
  }

  /** Returns the start of the pod's crash loop; empty if there is none. */
  private static Optional<Instant> crashLoopSince(NodePass pass) {
    return Optional.ofNullable(pass.draft().crashLoopSince());
  }

  /** While the log of a crash is read, nothing is found. */
  static boolean isLooping(NodePass pass, Progress stalled) {
    return CauseOfDeath.isCrash(StallReason.named(stalled.stalledOn()))
        && crashLoopSince(pass).isPresent();
  }
}
