package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides whether a node is stalled. It is at once where the evidence is terminal by nature, else
 * when nothing has moved for the progress deadline: since the current task began or, without a
 * plan, since the pod lost readiness. A node that halted at an upgrade height before its image was
 * changed waits for a human by design and is not stalled.
 */
final class Stalling {

  private final Duration defaultDeadline;

  Stalling(Duration defaultDeadline) {
    this.defaultDeadline = defaultDeadline;
  }

  /** Sets the condition Stalled, and asks to be called again at the deadline. */
  void derive(NodeWork work, Optional<Finding> finding) {
    Optional<Instant> waitingSince = waitingSince(work);
    if (waitingSince.isEmpty() || isHaltedByDesign(work, finding)) {
      set(work, ConditionStatus.FALSE, NodeReason.NOT_STALLED, "nothing is overdue");
      return;
    }
    Instant overdueAt = waitingSince.get().plus(deadline(work));
    Duration left = Duration.between(work.snapshot().now(), overdueAt);
    boolean overdue = left.isNegative() || left.isZero();
    if (finding.filter(it -> overdue || isTerminal(work, it)).isPresent()) {
      set(work, ConditionStatus.TRUE, finding.get().reason(), finding.get().message());
    } else if (overdue) {
      Finding unknown = Finding.unknown(whatIsSeen(work));
      set(work, ConditionStatus.TRUE, unknown.reason(), unknown.message());
    } else {
      work.recheckAfter(left);
      set(work, ConditionStatus.FALSE, NodeReason.PROGRESSING, "waiting, not overdue yet");
    }
  }

  /** What ails a pod that an active plan is about to replace says nothing about the plan. */
  private static boolean isTerminal(NodeWork work, Finding finding) {
    TaskPlan plan = work.status().plan();
    boolean replaced =
        plan != null
            && plan.isActive()
            && plan.target() != null
            && work.snapshot()
                .ownedPod()
                .filter(pod -> !speaksFor(work, pod, plan.target().specHash()))
                .isPresent();
    return finding.terminal()
        && (!replaced || finding.reason() == StallReason.STATEFUL_SET_CONFLICT);
  }

  private static boolean speaksFor(NodeWork work, Pod pod, String specHash) {
    return work.snapshot().stampOf(pod).equals(Optional.ofNullable(specHash));
  }

  private static boolean isHaltedByDesign(NodeWork work, Optional<Finding> finding) {
    return finding.filter(it -> it.reason() == StallReason.HALTED_AT_UPGRADE).isPresent()
        && (work.status().plan() == null || !work.status().plan().isActive());
  }

  private Duration deadline(NodeWork work) {
    Integer seconds = work.node().getSpec().progressDeadlineSeconds();
    return seconds == null ? defaultDeadline : Duration.ofSeconds(seconds);
  }

  private static Optional<Instant> waitingSince(NodeWork work) {
    TaskPlan plan = timed(work.status().plan());
    if (work.snapshot().isPaused()) {
      return work.conflict().map(conflict -> work.snapshot().now());
    }
    if (plan != null && plan.isActive()) {
      Instant begun = plan.currentTask().map(PlannedTask::startedAt).orElse(plan.startedAt());
      return Optional.of(latest(begun, changed(work, NodeConditionType.PAUSED)));
    }
    if (plan != null && plan.isFailed()) {
      return Optional.ofNullable(plan.finishedAt());
    }
    // A plan that just completed makes the node Running, in the same write.
    boolean running = work.status().phase() == NodePhase.RUNNING || plan != null;
    return running || work.conflict().isPresent() ? unreadySince(work) : Optional.empty();
  }

  /** A plan of the Go operator knows no times; one of ours is about to take its place. */
  private static TaskPlan timed(TaskPlan plan) {
    return plan == null || plan.startedAt() == null ? null : plan;
  }

  /** A pod is expected to be unready while its node is paused or a plan is at work. */
  private static Optional<Instant> unreadySince(NodeWork work) {
    return Conditions.find(work.status().conditions(), NodeConditionType.READY.toString())
        .filter(ready -> !ready.isTrue())
        .map(Condition::lastTransitionTime)
        .map(since -> latest(since, changed(work, NodeConditionType.UP_TO_DATE)))
        .map(since -> latest(since, changed(work, NodeConditionType.PAUSED)));
  }

  private static Instant latest(Instant one, Optional<Instant> other) {
    return other.filter(one::isBefore).orElse(one);
  }

  private static Optional<Instant> changed(NodeWork work, NodeConditionType type) {
    return Conditions.find(work.status().conditions(), type.toString())
        .map(Condition::lastTransitionTime);
  }

  private static String whatIsSeen(NodeWork work) {
    TaskPlan plan = work.status().plan();
    if (plan != null && plan.isFailed()) {
      return NodeEvents.failure(plan);
    }
    return Optional.ofNullable(plan)
        .flatMap(TaskPlan::currentTask)
        .map(task -> "task " + task.type() + ": " + task.message())
        .or(
            () ->
                Conditions.find(work.status().conditions(), NodeConditionType.READY.toString())
                    .map(Condition::message))
        .orElse("nothing is known");
  }

  private static void set(NodeWork work, ConditionStatus status, Object reason, String message) {
    work.condition(NodeConditionType.STALLED, status, reason, message);
  }
}
