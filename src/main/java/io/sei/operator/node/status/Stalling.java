package io.sei.operator.node.status;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.CrashLoops;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.bootstrap.BootstrapTasks;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.ProgressDeadline;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * Decides whether a node is stalled. It is at once where the evidence is terminal by nature, else
 * when nothing has moved for the progress deadline: since the current task began or, without a
 * plan, since the pod lost readiness, or since the last cause of a stall went. A pod in a crash
 * loop may be Ready for a moment again and again, which is no progress: without a plan the loop
 * counts from its beginning, and a node that is stalled for it stays so until the loop is over. A
 * node that halted at an upgrade height before its image was changed waits for a human by design
 * and is not stalled. A node that is refused a write is stalled whether or not it waits for
 * anything else.
 */
public final class Stalling {

  /** Causes that a plan is up against, whatever becomes of the pod. */
  private static final Set<StallReason> OF_THE_PLAN =
      Set.of(
          StallReason.STATEFUL_SET_CONFLICT,
          StallReason.SIDECAR_UNSUPPORTED,
          StallReason.SIGNING_STATE_UNKNOWN,
          StallReason.SIGNING_KEY_INVALID,
          StallReason.KEY_SECRET_INVALID);

  private final NodeReconcile reconcile;
  private final NodeSnapshot snapshot;
  private final Duration limit;

  private Stalling(NodeReconcile reconcile, Duration limit) {
    this.reconcile = reconcile;
    this.snapshot = reconcile.snapshot();
    this.limit = limit;
  }

  /**
   * Sets the condition Stalled, and asks to be called again at the deadline.
   *
   * @param deadline how long a node may wait before it counts as stalled
   */
  public static void derive(
      NodeReconcile reconcile, Optional<Finding> finding, ProgressDeadline deadline) {
    var stalling = new Stalling(reconcile, deadline.of(reconcile.node()));
    stalling.recordCrashLoop(finding);
    stalling.decide(finding);
  }

  private void decide(Optional<Finding> finding) {
    Optional<Finding> refusal = reconcile.refusals().finding();
    if (refusal.isPresent() && refusal.equals(finding)) {
      reconcile.put(NodeConditionType.STALLED, Verdict.yes(refusal.get()));
      return;
    }
    Optional<Instant> waitingSince = waitingSince().map(since -> latest(since, recoveredAt()));
    Optional<String> open = finding.isPresent() ? Optional.empty() : withoutDeadline();
    if (open.isPresent()) {
      reconcile.put(NodeConditionType.STALLED, progressing(open.get()));
      return;
    }
    if (waitingSince.isEmpty() || isHaltedByDesign(finding)) {
      reconcile.put(
          NodeConditionType.STALLED, Verdict.no(NodeReason.NOT_STALLED, "the node is not stalled"));
      return;
    }
    Duration left = Duration.between(snapshot.now(), waitingSince.get().plus(limit));
    boolean overdue = left.isNegative() || left.isZero();
    boolean givenUp = hasGivenUp();
    Optional<Condition> refused = stalledUntilRetried();
    if (finding.filter(it -> overdue || givenUp || isTerminal(it)).isPresent()) {
      reconcile.put(NodeConditionType.STALLED, Verdict.yes(finding.get()));
    } else if (refused.isPresent()) {
      reconcile.put(NodeConditionType.STALLED, Verdict.kept(refused.get()));
    } else if (overdue || givenUp) {
      withoutFinding();
    } else {
      reconcile.recheckAfter(left);
      reconcile.put(
          NodeConditionType.STALLED, progressing("in progress, within the progress deadline"));
    }
  }

  /** The record outlives moments of readiness, and is not touched while the loop goes on. */
  private void recordCrashLoop(Optional<Finding> finding) {
    Instant now = snapshot.now();
    Optional<Pod> looping = snapshot.livePod().filter(pod -> CrashLoops.isIn(pod, now));
    Optional<Instant> known =
        crashLoopSince().filter(since -> looping.isPresent() && !since.isAfter(now));
    Optional<Instant> begun =
        looping.flatMap(pod -> finding).filter(Stalling::isCrashLoop).map(found -> now);
    reconcile.update(status -> status.withCrashLoopSince(known.or(() -> begun).orElse(null)));
    looping
        .flatMap(pod -> CrashLoops.endOf(pod, now))
        .ifPresent(over -> reconcile.recheckAfter(Duration.between(now, over)));
  }

  private static boolean isCrashLoop(Finding finding) {
    return finding.reason() == StallReason.CRASH_LOOP;
  }

  private Optional<Instant> crashLoopSince() {
    return Optional.ofNullable(reconcile.status().crashLoopSince());
  }

  /** An init plan that failed is not tried again before somebody asks for it. */
  private boolean hasGivenUp() {
    TaskPlan plan = reconcile.status().plan();
    return plan != null && plan.isFailed() && plan.kind() == PlanKind.INIT;
  }

  /**
   * What the plan waits for that takes as long as it takes: how long seid replays depends on the
   * heights, and nothing tells how far it is; a seid that is well does not exit.
   */
  private Optional<String> withoutDeadline() {
    String reason =
        Optional.ofNullable(reconcile.status().plan())
            .filter(TaskPlan::isActive)
            .flatMap(TaskPlan::currentTask)
            .map(PlannedTask::reason)
            .orElse("");
    if (NodeReason.AWAITING_EXIT.is(reason)) {
      return Optional.of("seid is to be held once it has exited, which has no deadline");
    }
    if (NodeReason.DATA_VOLUME_AT_RISK.is(reason)) {
      return Optional.of("the pod keeps data that is at risk, so it is not replaced");
    }
    return BootstrapTasks.REPLAYING.equals(reason)
        ? Optional.of("the bootstrap is replaying blocks, which has no deadline")
        : Optional.empty();
  }

  /** A cause that goes leaves a node that has yet to show progress, and has time for it again. */
  private void withoutFinding() {
    Optional<Condition> known =
        find(NodeConditionType.STALLED)
            .filter(Condition::isTrue)
            .filter(stalled -> !stalled.isFor(StallReason.UNKNOWN));
    if (known.isEmpty() || hasGivenUp()) {
      Finding unknown =
          Finding.unknown(
              whatIsSeen(), "check the events and logs of pod " + Names.pod(reconcile.node()));
      reconcile.put(NodeConditionType.STALLED, Verdict.yes(unknown));
    } else if (isYetToBeAsked(known.get()) || isLooping(known.get())) {
      reconcile.put(NodeConditionType.STALLED, Verdict.kept(known.get()));
    } else {
      reconcile.recheckAfter(limit);
      reconcile.put(NodeConditionType.STALLED, progressing("the reported cause is resolved"));
    }
  }

  /** A node that was stalled has not recovered before it shows that. */
  private Verdict progressing(String message) {
    boolean wasStalled =
        find(NodeConditionType.STALLED)
            .filter(it -> it.isTrue() || it.isFor(NodeReason.RECOVERING))
            .isPresent();
    return Verdict.no(wasStalled ? NodeReason.RECOVERING : NodeReason.PROGRESSING, message);
  }

  /**
   * What a plan failed for that is made again for the same target: it has yet to get past the task
   * that the sidecar refused.
   */
  private Optional<Condition> stalledUntilRetried() {
    TaskPlan plan = reconcile.status().plan();
    boolean again = plan != null && plan.isActive() && plan.attempt() != null && plan.attempt() > 0;
    return find(NodeConditionType.STALLED)
        .filter(stalled -> again && stalled.isTrue())
        .filter(stalled -> stalled.isFor(StallReason.SIDECAR_TASK_FAILED));
  }

  /** After a start nothing is known of sidecars yet, which is no news about them. */
  private boolean isYetToBeAsked(Condition stalled) {
    return stalled.isFor(StallReason.SIDECAR_UNREACHABLE, StallReason.SIDECAR_FORBIDDEN)
        && snapshot.livePod().isPresent()
        && reconcile.sidecarHealth().isEmpty();
  }

  /** While the log of a crash is read, nothing is found. */
  private boolean isLooping(Condition stalled) {
    return stalled.isFor(StallReason.CRASH_LOOP) && crashLoopSince().isPresent();
  }

  private Optional<Instant> recoveredAt() {
    return find(NodeConditionType.STALLED)
        .filter(stalled -> !stalled.isTrue())
        .map(Condition::lastTransitionTime);
  }

  /**
   * What ails a pod that an active plan is about to replace says nothing about the plan, unless the
   * plan has first to ask something of it.
   */
  private boolean isTerminal(Finding finding) {
    TaskPlan plan = reconcile.status().plan();
    boolean replaced =
        plan != null
            && plan.isActive()
            && plan.target() != null
            && reconcile
                .snapshot()
                .ownedPod()
                .filter(pod -> !speaksFor(pod, plan.target().specHash()))
                .isPresent();
    return finding.terminal() && (!replaced || OF_THE_PLAN.contains(finding.reason()));
  }

  private boolean speaksFor(Pod pod, String specHash) {
    return snapshot.stampOf(pod).equals(Optional.ofNullable(specHash));
  }

  private boolean isHaltedByDesign(Optional<Finding> finding) {
    return finding.filter(it -> it.reason() == StallReason.HALTED_AT_UPGRADE).isPresent()
        && (reconcile.status().plan() == null || !reconcile.status().plan().isActive())
        && !isUnreadySinceItsUpdate();
  }

  /** An image that was to end a halt, and halts as well, is a mistake and not design. */
  private boolean isUnreadySinceItsUpdate() {
    Optional<Instant> updated =
        find(NodeConditionType.NODE_UPDATE_IN_PROGRESS)
            .filter(it -> it.isFor(NodeReason.UPDATE_COMPLETE))
            .map(Condition::lastTransitionTime);
    Optional<Instant> unready =
        find(NodeConditionType.READY)
            .filter(ready -> !ready.isTrue())
            .map(Condition::lastTransitionTime);
    return unready
        .filter(since -> updated.filter(at -> !since.isAfter(at)).isPresent())
        .isPresent();
  }

  private Optional<Instant> waitingSince() {
    TaskPlan plan = timed(reconcile.status().plan());
    if (snapshot.isPaused()) {
      return reconcile.conflict().map(conflict -> snapshot.now());
    }
    if (snapshot.isToBeHeld() && snapshot.isHeld() && plan == null) {
      return Optional.empty();
    }
    if (plan != null && (plan.isActive() || plan.isFailed())) {
      return Optional.of(latest(triedSince(plan), changed(NodeConditionType.PAUSED)));
    }
    // A plan that just completed makes the node Running, in the same write. One that has neither,
    // and a StatefulSet, has yet to show whether it has run.
    boolean running = reconcile.status().phase() == NodePhase.RUNNING || plan != null;
    return running || reconcile.status().statefulSet() != null || reconcile.conflict().isPresent()
        ? unreadySince().or(() -> stalledByCrashLoopSince())
        : Optional.empty();
  }

  /** Plans for one target that fail one after the other are one wait, not many short ones. */
  private Instant triedSince(TaskPlan plan) {
    Instant begun = plan.currentTask().map(PlannedTask::startedAt).orElse(plan.startedAt());
    boolean again = plan.attempt() != null && plan.attempt() > 0;
    return changed(NodeConditionType.UP_TO_DATE)
        .filter(since -> again && since.isBefore(begun))
        .orElse(begun);
  }

  /** A plan of the Go operator knows no times; one of ours is about to take its place. */
  private static TaskPlan timed(TaskPlan plan) {
    return plan == null || plan.startedAt() == null ? null : plan;
  }

  private Optional<Instant> unreadySince() {
    return find(NodeConditionType.READY)
        .filter(ready -> !ready.isTrue())
        .map(Condition::lastTransitionTime)
        .map(since -> crashLoopSince().filter(since::isAfter).orElse(since))
        .map(since -> sinceExpected(since));
  }

  /**
   * When the crash loop began that the node is stalled for, if that is longer ago than the
   * deadline. A new pod that crashed at its start and becomes Ready within the deadline has
   * recovered.
   */
  private Optional<Instant> stalledByCrashLoopSince() {
    Instant overdue = snapshot.now().minus(limit);
    return find(NodeConditionType.STALLED)
        .filter(Condition::isTrue)
        .filter(stalled -> isLooping(stalled))
        .flatMap(stalled -> crashLoopSince())
        .map(since -> sinceExpected(since))
        .filter(since -> !since.isAfter(overdue));
  }

  /** A pod is expected to be unready while its node is paused or a plan is active. */
  private Instant sinceExpected(Instant since) {
    return latest(
        latest(since, changed(NodeConditionType.UP_TO_DATE)), changed(NodeConditionType.PAUSED));
  }

  private static Instant latest(Instant one, Optional<Instant> other) {
    return other.filter(one::isBefore).orElse(one);
  }

  private Optional<Instant> changed(NodeConditionType type) {
    return find(type).map(Condition::lastTransitionTime);
  }

  private Optional<Condition> find(NodeConditionType type) {
    return Conditions.find(reconcile.status().conditions(), type);
  }

  private String whatIsSeen() {
    TaskPlan plan = reconcile.status().plan();
    if (plan != null && plan.isFailed()) {
      return NodeEvents.failure(plan);
    }
    return Optional.ofNullable(plan)
        .flatMap(TaskPlan::currentTask)
        .map(task -> "task " + task.type() + ": " + task.message())
        .or(() -> find(NodeConditionType.READY).map(Condition::message))
        .orElse("no cause is known");
  }
}
