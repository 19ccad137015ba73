package io.sei.operator.node.status;

import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.ProgressDeadline;
import io.sei.operator.node.model.SidecarAbilities;
import io.sei.operator.reconcile.StatusDraft;
import io.sei.operator.reconcile.Verdict;
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
  public static void record(NodeReconcile reconcile, List<NodeFeature> features) {
    reconcile.takeOffers();
    forgetEarlierPod(reconcile);
    recordEndpoint(reconcile);
    features.forEach(it -> it.record(reconcile));
    SeidRuns.record(reconcile);
    SidecarAbilities.dropOtherImage(reconcile);
  }

  /**
   * Derives everything a user reads.
   *
   * @param finding why the node does not progress, if it does not
   * @param deadline how long it may wait before it counts as stalled
   */
  public static void derive(
      NodeReconcile reconcile,
      Optional<Finding> finding,
      ProgressDeadline deadline,
      List<NodeFeature> features) {
    features.forEach(it -> it.report(reconcile, finding));
    NodeConditions.derive(reconcile, finding, features);
    Stalling.derive(reconcile, finding, deadline, features);
    NodeConditions.deriveReconciling(reconcile);
    reconcile.update(
        status ->
            status.with(
                draft ->
                    draft
                        .mode(NodeMode.of(reconcile.node().getSpec()).inStatus())
                        .explain(RestartExplanation.of(reconcile, features))));
  }

  /**
   * A pod may be replaced, and the record of it lost to a conflict with the edit that asks for the
   * earlier spec again. What ran before is then not what runs, and must not count as done.
   */
  private static void forgetEarlierPod(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    if (snapshot.podDifference().isPresent()
        && snapshot.specHash().equals(reconcile.status().podSpecHash())) {
      reconcile.update(status -> status.withPodSpecHash(null));
    }
  }

  /** It is made of the node's name and mode, so it stays whatever becomes of the pod. */
  private static void recordEndpoint(NodeReconcile reconcile) {
    if (reconcile.status().phase() == NodePhase.RUNNING) {
      reconcile.update(
          status -> status.withEndpoint(ServiceUrls.ofNode(reconcile.node()).orElse(null)));
    }
  }

  /**
   * The status of a node whose spec cannot be worked with. What runs goes on running, so a phase
   * that was reached is kept.
   */
  public static SeiNodeStatus invalid(SeiNode node, List<FieldError> errors, Instant now) {
    SeiNodeStatus status = NodeSnapshot.statusOf(node);
    String message = FieldError.joined(errors);
    Long generation = node.getMetadata().getGeneration();
    var draft = new StatusDraft(status.conditions(), generation, now);
    Verdict invalid = Verdict.no(StallReason.INVALID_SPEC, message);
    draft.put(NodeConditionType.READY, invalid);
    draft.put(NodeConditionType.UP_TO_DATE, invalid);
    return status
        .withConditions(draft.conditions())
        .withReadiness(false, now)
        .withUpToDate(false, now)
        .withPhase(status.phase() == null ? NodePhase.PENDING : status.phase())
        .withExplain(
            Explanation.ofInvalid(
                status.explain(), Annotations.explainRequest(node), generation, now, message));
  }

  /** The status with a plan to be run. */
  public static SeiNodeStatus planned(SeiNodeStatus status, TaskPlan plan) {
    boolean init = plan.kind() == PlanKind.INIT;
    return status.with(it -> it.plan(plan).phase(init ? NodePhase.INITIALIZING : status.phase()));
  }

  /** The status as it is written: an ended plan moves to the history, and takes its phase along. */
  public static SeiNodeStatus concluded(
      SeiNodeStatus before, SeiNodeStatus reached, Long generation, Instant now) {
    SeiNodeStatus after =
        reached.with(it -> it.observedGeneration(generation).reason(reason(reached)));
    TaskPlan plan = reached.plan();
    if (plan != null && !plan.isActive() && !plan.equals(before.plan())) {
      boolean complete = plan.phase() == PlanPhase.COMPLETE;
      NodePhase phase = complete ? plan.targetPhase() : plan.failedPhase();
      after =
          after.with(
              it ->
                  it.plan(complete ? null : plan)
                      .phase(phase == null ? reached.phase() : phase)
                      .planHistory(history(reached, plan)));
    }
    return after.phase() == before.phase() ? after : after.withPhaseTransitionTime(now);
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
    String verdict =
        plan.phase() == PlanPhase.COMPLETE ? "Complete" : "Failed: " + NodeEvents.failure(plan);
    return "%s %s to %s after %ds: %s"
        .formatted(
            plan.finishedAt(),
            plan.kind(),
            plan.target().image(),
            Duration.between(start, plan.finishedAt()).toSeconds(),
            verdict);
  }
}
