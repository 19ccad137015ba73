package io.sei.operator.node.status;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.feature.SidecarAbilities;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.ConditionsDraft;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.NodeMode;
import io.sei.operator.render.ServiceUrls;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Concludes a node's status from what was observed, done and refused in a reconcile. */
public final class NodeStatus {

  /** Lines kept in {@code status.planHistory}. */
  private static final int HISTORY = 5;

  private NodeStatus() {}

  /** Records what was reported, and what was observed. */
  public static void record(NodePass pass, ConditionParts conditions) {
    pass.takeOffers();
    forgetEarlierPod(pass);
    recordEndpoint(pass);
    conditions.record(pass);
    SeidRunRecorder.record(pass);
    SidecarAbilities.dropOtherImage(pass);
  }

  /**
   * Derives everything a user reads.
   *
   * @param finding why the node does not progress, if it does not
   * @param deadline how long it may wait before it counts as stalled
   */
  public static void derive(
      NodePass pass,
      Optional<Finding> finding,
      ProgressDeadline deadline,
      ConditionParts conditions) {
    pass.diagnosed(finding);
    conditions.report(pass);
    NodeConditions.derive(pass, finding);
    Stalling.derive(pass, finding, deadline);
    NodeConditions.deriveReconciling(pass);
    pass.update(
        status ->
            status.with(
                next ->
                    next.mode(NodeMode.of(pass.node().getSpec()).inStatus())
                        .explain(RestartExplanation.of(pass))));
  }

  /**
   * A pod may be replaced, and the record of it lost to a conflict with the edit that asks for the
   * earlier spec again. What ran before is then not what runs, and must not count as done.
   */
  private static void forgetEarlierPod(NodePass pass) {
    NodeView view = pass.view();
    if (view.podDifference().isPresent() && view.specHash().equals(pass.draft().podSpecHash())) {
      pass.update(status -> status.withPodSpecHash(null));
    }
  }

  /** The endpoint depends on the node's name and mode, so that it stays when the pod changes. */
  private static void recordEndpoint(NodePass pass) {
    if (pass.draft().phase() == NodePhase.RUNNING) {
      pass.update(status -> status.withEndpoint(ServiceUrls.ofNode(pass.node()).orElse(null)));
    }
  }

  /**
   * Returns the status of a node with an invalid spec. The pod keeps running, so that the phase
   * stays.
   */
  public static SeiNodeStatus invalid(SeiNode node, List<FieldError> errors, Instant now) {
    SeiNodeStatus status = NodeView.statusOf(node);
    String message = FieldError.joined(errors);
    Long generation = node.getMetadata().getGeneration();
    var conditions = new ConditionsDraft(status.conditions(), generation, now);
    ConditionProposal invalid = ConditionProposal.no(StallReason.INVALID_SPEC, message);
    conditions.put(NodeConditionType.READY, invalid);
    conditions.put(NodeConditionType.UP_TO_DATE, invalid);
    return status
        .withConditions(conditions.conditions())
        .withReadiness(false, now)
        .withPhase(status.phase() == null ? NodePhase.PENDING : status.phase())
        .withExplain(
            Explanation.ofInvalid(
                status.explain(), Annotations.explainRequest(node), generation, now, message));
  }

  /** The status with a plan to be run. */
  public static SeiNodeStatus planned(SeiNodeStatus status, TaskPlan plan) {
    boolean init = plan.kind() == PlanKind.INIT;
    return status.with(
        builder -> builder.plan(plan).phase(init ? NodePhase.INITIALIZING : status.phase()));
  }

  /** The status as it is written: an ended plan moves to the history, and takes its phase along. */
  public static SeiNodeStatus concluded(
      SeiNodeStatus before, SeiNodeStatus reached, Long generation, Instant now) {
    SeiNodeStatus after =
        reached.with(builder -> builder.observedGeneration(generation).reason(reason(reached)));
    TaskPlan plan = reached.plan();
    if (plan != null && !plan.isActive() && !plan.equals(before.plan())) {
      boolean complete = plan.phase() == PlanPhase.COMPLETE;
      NodePhase phase = complete ? plan.targetPhase() : plan.failedPhase();
      after =
          after.with(
              builder ->
                  builder
                      .plan(complete ? null : plan)
                      .phase(phase == null ? reached.phase() : phase)
                      .planHistory(history(reached, plan)));
    }
    return after.phase() == before.phase() ? after : after.withPhaseTransitionTime(now);
  }

  /**
   * Whether two statuses differ only in how far an active plan is, which may be written with the
   * next other change. A retry is no such progress, since the number of retries must not be lost.
   * Nor is a change of readiness, except while a pod is updated in place: it may be Ready again by
   * the time that a status without it is written.
   */
  public static boolean isProgressOnly(SeiNodeStatus before, SeiNodeStatus reached) {
    TaskPlan plan = reached.plan();
    boolean progresses =
        plan != null
            && plan.isActive()
            && !plan.equals(before.plan())
            && before.plan() != null
            && plan.id().equals(before.plan().id())
            && plan.currentTask().filter(task -> task.retryAt() == null).isPresent();
    if (!progresses) {
      return false;
    }
    SeiNodeStatus progressed =
        before.with(
            next ->
                next.plan(plan)
                    .podUpdate(reached.podUpdate())
                    .currentImage(reached.currentImage())
                    .currentSidecarImage(reached.currentSidecarImage())
                    .podSpecHash(reached.podSpecHash())
                    .podBaseHash(reached.podBaseHash()));
    return isUpdatedInPlace(reached)
        ? withoutReadiness(progressed).equals(withoutReadiness(reached))
        : progressed.equals(reached);
  }

  private static boolean isUpdatedInPlace(SeiNodeStatus status) {
    PodUpdate update = status.podUpdate();
    return update != null
        && update.how() == PodUpdate.How.IN_PLACE
        && update.revision() != null
        && update.isOfPlan(status.plan());
  }

  private static SeiNodeStatus withoutReadiness(SeiNodeStatus status) {
    List<Condition> others = Conditions.without(status.conditions(), NodeConditionType.READY);
    return status.with(
        next -> next.conditions(others).readySince(null).unreadySince(null).seid(null));
  }

  private static String reason(SeiNodeStatus reached) {
    return reached.phase() == NodePhase.TERMINATING
        ? reached.phase().toString()
        : Conditions.firstReason(reached.conditions());
  }

  private static List<String> history(SeiNodeStatus status, TaskPlan plan) {
    var lines =
        new ArrayList<>(status.planHistory() == null ? List.<String>of() : status.planHistory());
    lines.add(line(plan));
    return List.copyOf(lines.subList(Math.max(0, lines.size() - HISTORY), lines.size()));
  }

  private static String line(TaskPlan plan) {
    Instant start = plan.startedAt() == null ? plan.finishedAt() : plan.startedAt();
    String proposal =
        plan.phase() == PlanPhase.COMPLETE ? "Complete" : "Failed: " + NodeEvents.failure(plan);
    return "%s %s to %s after %ds: %s"
        .formatted(
            plan.finishedAt(),
            plan.kind(),
            plan.target().image(),
            Duration.between(start, plan.finishedAt()).toSeconds(),
            proposal);
  }
}
