package io.sei.operator.node.status;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.Progress;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.UpgradeHalt;
import io.sei.operator.diagnosis.UpgradePanic;
import io.sei.operator.node.feature.AppliedUpgrades;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.reconcile.Arbiter;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.util.Optional;

/**
 * Decides whether a node is stalled. It is at once where the evidence is terminal by nature, else
 * when nothing has moved for the progress deadline: since the current task began or, without a
 * plan, since the pod lost readiness, or since the last cause of a stall went. A pod in a crash
 * loop may be Ready for a moment again and again, which is no progress: without a plan the loop
 * counts from its beginning, and a node that is stalled for it stays so until the loop is over. A
 * node that halted at an upgrade height before its image was changed does so by design: if
 * spec.upgrades lists the upgrade it is not stalled, else at the progress deadline. A node that is
 * refused a write is stalled whether or not it waits for anything else.
 */
public final class Stalling {

  private final NodePass pass;
  private final NodeView view;
  private final Optional<Progress> before;
  private final boolean isSuspended;
  private final Duration limit;

  private Stalling(NodePass pass, Duration limit) {
    this.pass = pass;
    this.view = pass.view();
    this.before = Optional.ofNullable(view.stored().progress());
    this.isSuspended = view.isPaused() || view.isHeld();
    this.limit = limit;
  }

  /**
   * Sets the condition Stalled, and asks to be called again at the deadline.
   *
   * @param deadline how long a node may wait before it counts as stalled
   */
  public static void derive(NodePass pass, Optional<Finding> finding, ProgressDeadline deadline) {
    var stalling = new Stalling(pass, deadline.of(pass.node()));
    Waiting.recordCrashLoop(pass, finding);
    stalling.decide(finding);
  }

  private void decide(Optional<Finding> finding) {
    Optional<Duration> left =
        Waiting.since(pass, limit).map(since -> Duration.between(view.now(), since.plus(limit)));
    boolean due = hasGivenUp() || left.filter(duration -> !duration.isPositive()).isPresent();
    Optional<Progress> known =
        before
            .filter(Progress::isStalled)
            .filter(progress -> due && !progress.stalledOn(StallReason.UNKNOWN));
    var stalled =
        new Arbiter<>(Rank.Stalled.class, pass::offered)
            .offer(
                Rank.Stalled.REFUSED,
                () ->
                    finding
                        .filter(candidate -> pass.refusals().finding().equals(finding))
                        .map(ConditionProposal::yes))
            .offer(
                Rank.Stalled.WITHOUT_DEADLINE,
                () ->
                    finding.isEmpty()
                        ? pass.deadlineSuspension().map(this::progressing)
                        : Optional.empty())
            .offer(
                Rank.Stalled.NOT_WAITING,
                left.isEmpty() || (isHaltedByDesign(finding) && !(due && isHaltUnlisted())),
                ConditionProposal.no(
                    isSuspended && hasYetToRecover()
                        ? NodeReason.RECOVERING
                        : NodeReason.NOT_STALLED,
                    "the node is not stalled"))
            .offer(
                Rank.Stalled.FOUND,
                () ->
                    finding
                        .filter(candidate -> due || isTerminal(candidate))
                        .map(ConditionProposal::yes))
            .offer(Rank.Stalled.RETRIED, () -> said().filter(proposal -> isStalledUntilRetried()))
            .offer(
                Rank.Stalled.NOTHING_FOUND,
                due && (known.isEmpty() || hasGivenUp()),
                ConditionProposal.yes(unknown()))
            .offer(
                Rank.Stalled.NOT_LOOKED_AT,
                () ->
                    known
                        .filter(
                            progress ->
                                isYetToBeAsked(progress) || Waiting.isLooping(pass, progress))
                        .flatMap(progress -> said()))
            .offer(Rank.Stalled.RESOLVED, due, progressing("the reported cause is resolved"))
            .offer(
                Rank.Stalled.IN_TIME,
                true,
                progressing("in progress, within the progress deadline"))
            .decide();
    switch (stalled.getKey()) {
      case RESOLVED -> pass.recheckAfter(limit);
      case IN_TIME -> pass.recheckAfter(left.get());
      // A halt for an upgrade that spec.upgrades does not list.
      case NOT_WAITING ->
          left.filter(duration -> duration.isPositive() && isHaltUnlisted())
              .ifPresent(pass::recheckAfter);
      default -> {}
    }
    pass.put(NodeConditionType.STALLED, stalled.getValue());
  }

  /** A failed init plan is not tried again before the user requests it. */
  private boolean hasGivenUp() {
    TaskPlan plan = pass.draft().plan();
    return plan != null && plan.isFailed() && plan.kind() == PlanKind.INIT;
  }

  /** Returns the previous proposal, to be repeated. */
  private Optional<ConditionProposal> said() {
    return pass.draftedCondition(NodeConditionType.STALLED);
  }

  private Finding unknown() {
    Optional<Pod> pod = view.sidecarPod();
    return Diagnosis.atDeadline(
        pod.orElse(null),
        whatIsSeen(),
        "check the events and logs of pod "
            + pod.map(seen -> seen.getMetadata().getName()).orElse(Names.pod(pass.node())));
  }

  /** A node that was stalled has not recovered before it shows that. */
  private ConditionProposal progressing(String message) {
    return ConditionProposal.no(
        hasYetToRecover() ? NodeReason.RECOVERING : NodeReason.PROGRESSING, message);
  }

  /** By the cause of its machine or network a node that is paused or held is not judged. */
  private boolean hasYetToRecover() {
    return before
        .filter(Progress::hasYetToRecover)
        .filter(
            progress ->
                !isSuspended
                    || !progress.isStalled()
                    || StallReason.named(progress.stalledOn()).mayBeOfTemplate())
        .isPresent();
  }

  /**
   * A failed plan that is recreated for the same target stays stalled until it is past the task
   * that the sidecar refused.
   */
  private boolean isStalledUntilRetried() {
    TaskPlan plan = pass.draft().plan();
    boolean again = plan != null && plan.isActive() && plan.attempt() != null && plan.attempt() > 0;
    return again
        && before
            .filter(progress -> progress.stalledOn(StallReason.SIDECAR_TASK_FAILED))
            .isPresent();
  }

  /**
   * After a start of the operator no sidecar has been polled, so that nothing is known of their
   * state.
   */
  private boolean isYetToBeAsked(Progress stalled) {
    return stalled.stalledOn(StallReason.SIDECAR_UNREACHABLE, StallReason.SIDECAR_FORBIDDEN)
        && view.livePod().isPresent()
        && pass.view().sidecar().isEmpty();
  }

  /**
   * Trouble in a pod that an active plan is about to replace says nothing about the plan, unless
   * the plan has first to ask something of that pod.
   */
  private boolean isTerminal(Finding finding) {
    TaskPlan plan = pass.draft().plan();
    boolean replaced =
        plan != null
            && plan.isActive()
            && plan.target() != null
            && pass.view()
                .ownedPod()
                .filter(pod -> !speaksFor(pod, plan.target().specHash()))
                .isPresent();
    return finding.terminal() && (!replaced || finding.reason().stopsPlan());
  }

  private boolean speaksFor(Pod pod, String specHash) {
    return view.stampOf(pod).equals(Optional.ofNullable(specHash));
  }

  private boolean isHaltedByDesign(Optional<Finding> finding) {
    return finding
            .filter(candidate -> candidate.reason() == StallReason.HALTED_AT_UPGRADE)
            .isPresent()
        && pass.draft().mayHaltByDesign();
  }

  /** Whether the node halted for an upgrade that only a person can list; then it goes on. */
  private boolean isHaltUnlisted() {
    Optional<UpgradePanic> halt =
        view.halt()
            .map(UpgradeHalt::panic)
            .or(() -> view.livePod().flatMap(PodFacts::upgradePanic));
    return AppliedUpgrades.listed(pass.node().getSpec())
        .noneMatch(upgrade -> halt.filter(panic -> panic.isFor(upgrade)).isPresent());
  }

  private String whatIsSeen() {
    TaskPlan plan = pass.draft().plan();
    if (plan != null && plan.isFailed()) {
      return NodeEvents.failure(plan);
    }
    return Optional.ofNullable(plan)
        .flatMap(TaskPlan::currentTask)
        .map(task -> "task " + task.type() + ": " + task.message())
        .or(() -> pass.draftedCondition(NodeConditionType.READY).map(ConditionProposal::message))
        .orElse("no cause is known");
  }
}
