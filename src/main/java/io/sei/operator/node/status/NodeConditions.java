package io.sei.operator.node.status;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.bootstrap.BootstrapTasks;
import io.sei.operator.node.bootstrap.UnknownTasks;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.sidecar.SidecarHealth;
import java.util.Objects;
import java.util.Optional;

/** Says in conditions what came of a reconcile, apart from the condition Stalled. */
public final class NodeConditions {

  private NodeConditions() {}

  /** Sets every general condition of the status to be written. */
  public static void derive(NodeReconcile reconcile, Optional<Finding> finding) {
    KeyConditions.derive(reconcile);
    ready(reconcile, finding);
    upToDate(reconcile);
    updateInProgress(reconcile);
    sidecarReady(reconcile);
    paused(reconcile);
    restartPending(reconcile);
    statefulSetReady(reconcile);
  }

  /** Sets only what no other operator sets as well, or the two would undo each other's words. */
  static void deriveContested(NodeReconcile reconcile, String message) {
    ready(reconcile, Optional.empty());
    reconcile.condition(
        NodeConditionType.STATEFUL_SET_READY,
        ConditionStatus.FALSE,
        NodeReason.GO_OPERATOR_RUNS,
        message);
    reconcile.condition(
        NodeConditionType.STALLED,
        ConditionStatus.TRUE,
        StallReason.STATEFUL_SET_CONFLICT,
        message);
  }

  private static void ready(NodeReconcile reconcile, Optional<Finding> finding) {
    NodeSnapshot snapshot = reconcile.snapshot();
    Optional<Pod> pod = snapshot.ownedPod();
    NodeConditionType type = NodeConditionType.READY;
    if (snapshot.livePod().filter(PodFacts::isReady).isPresent()) {
      reconcile.condition(type, ConditionStatus.TRUE, NodeReason.POD_READY, "the pod is Ready");
    } else if (finding.isPresent()) {
      reconcile.condition(
          type, ConditionStatus.FALSE, finding.get().reason(), finding.get().message());
    } else if (snapshot.isPaused()) {
      reconcile.condition(
          type,
          ConditionStatus.FALSE,
          NodeReason.PAUSED,
          "spec.paused is true: the pod is " + (pod.isEmpty() ? "stopped" : "stopping"));
    } else if (isBootstrapping(reconcile)) {
      boolean blocked = reconcile.obstacle().isPresent();
      reconcile.condition(
          type,
          ConditionStatus.FALSE,
          blocked ? NodeReason.CONFLICT : NodeReason.BOOTSTRAPPING,
          reconcile.obstacle().orElse("a bootstrap Job has the volume before the node's own pod"));
    } else if (isUpdating(reconcile)) {
      reconcile.condition(
          type,
          ConditionStatus.FALSE,
          NodeReason.POD_REPLACING,
          "the update plan replaces the pod");
    } else if (pod.isEmpty() && KeyConditions.obstacle(reconcile).isPresent()) {
      Condition key = KeyConditions.obstacle(reconcile).get();
      reconcile.condition(type, ConditionStatus.FALSE, key.reason(), key.message());
    } else if (pod.isEmpty()) {
      reconcile.condition(type, ConditionStatus.FALSE, NodeReason.NO_POD, "there is no pod");
    } else if (PodFacts.isTerminating(pod.get())) {
      reconcile.condition(
          type, ConditionStatus.FALSE, NodeReason.POD_TERMINATING, "the pod is being deleted");
    } else {
      reconcile.condition(
          type, ConditionStatus.FALSE, NodeReason.POD_NOT_READY, "the pod is not Ready yet");
    }
  }

  private static boolean isBootstrapping(NodeReconcile reconcile) {
    TaskPlan plan = reconcile.status().plan();
    return BootstrapTasks.isUnderWay(plan) && plan.isActive();
  }

  private static boolean isUpdating(NodeReconcile reconcile) {
    TaskPlan plan = reconcile.status().plan();
    return isUpdate(plan) && plan.isActive();
  }

  private static void upToDate(NodeReconcile reconcile) {
    TaskPlan plan = unfinished(reconcile.status().plan());
    Optional<Finding> refusal = reconcile.refusals().message().map(Diagnosis::refused);
    NodeConditionType type = NodeConditionType.UP_TO_DATE;
    if (plan != null && plan.isFailed()) {
      reconcile.condition(
          type, ConditionStatus.FALSE, NodeReason.PLAN_FAILED, NodeEvents.failure(plan));
    } else if (plan != null) {
      reconcile.condition(
          type,
          ConditionStatus.FALSE,
          NodeReason.PLAN_ACTIVE,
          "a plan (" + plan.kind() + ") is active, see status.plan");
    } else if (reconcile.obstacle().isPresent()) {
      reconcile.condition(
          type, ConditionStatus.FALSE, NodeReason.CONFLICT, reconcile.obstacle().get());
    } else if (refusal.isPresent()) {
      reconcile.condition(
          type, ConditionStatus.FALSE, refusal.get().reason(), refusal.get().message());
    } else if (isUpToDate(reconcile)) {
      reconcile.condition(
          type, ConditionStatus.TRUE, NodeReason.UP_TO_DATE, "runs what the spec asks for");
    } else {
      reconcile.condition(
          type, ConditionStatus.FALSE, NodeReason.OUTDATED, "does not run what the spec asks for");
    }
  }

  private static boolean isUpToDate(NodeReconcile reconcile) {
    SeiNodeStatus status = reconcile.status();
    NodeSnapshot snapshot = reconcile.snapshot();
    return snapshot.specHash().equals(status.podSpecHash())
        && snapshot.node().getSpec().image().equals(status.currentImage())
        && (status.config() == null || status.config().hash().equals(snapshot.configHash()));
  }

  private static void updateInProgress(NodeReconcile reconcile) {
    TaskPlan plan = unfinished(reconcile.status().plan());
    TaskPlan before = reconcile.snapshot().status().plan();
    NodeConditionType type = NodeConditionType.NODE_UPDATE_IN_PROGRESS;
    if (isUpdate(plan)) {
      boolean active = plan.isActive();
      reconcile.condition(
          type,
          ConditionStatus.of(active),
          active ? NodeReason.UPDATE_STARTED : NodeReason.UPDATE_FAILED,
          active ? "to image " + plan.target().image() : NodeEvents.failure(plan));
    } else if (isUpdate(before)) {
      reconcile.condition(
          type,
          ConditionStatus.FALSE,
          NodeReason.UPDATE_COMPLETE,
          "image " + reconcile.status().currentImage() + " is in place");
    } else {
      keepOr(reconcile, type, NodeReason.NOT_STARTED, "no update has been needed");
    }
  }

  /** A plan that just completed is still there, but will not be once the status is written. */
  private static TaskPlan unfinished(TaskPlan plan) {
    return plan == null || plan.phase() == PlanPhase.COMPLETE ? null : plan;
  }

  private static boolean isUpdate(TaskPlan plan) {
    return plan != null && plan.kind() == PlanKind.UPDATE && plan.target() != null;
  }

  private static void sidecarReady(NodeReconcile reconcile) {
    NodeConditionType type = NodeConditionType.SIDECAR_READY;
    boolean active = reconcile.status().plan() != null && reconcile.status().plan().isActive();
    boolean noPod = reconcile.snapshot().livePod().isEmpty();
    if (noPod && !active) {
      reconcile.condition(
          type, ConditionStatus.UNKNOWN, NodeReason.NO_POD, "there is no pod to ask a sidecar in");
      return;
    }
    Optional<String> unsupported = UnknownTasks.inPlan(reconcile);
    if (unsupported.isPresent()) {
      reconcile.condition(
          type, ConditionStatus.FALSE, NodeReason.SIDECAR_UNSUPPORTED, unsupported.get());
      return;
    }
    Optional<SidecarHealth> health = reconcile.sidecarHealth();
    // A plan takes a sidecar through not being ready; that is its business and no news.
    boolean planned = active && !health.equals(Optional.of(SidecarHealth.READY));
    if (noPod || planned || health.isEmpty()) {
      boolean known =
          Conditions.find(reconcile.status().conditions(), type.toString())
              .filter(said -> !said.reason().equals(NodeReason.NO_POD.toString()))
              .isPresent();
      if (noPod || !known) {
        reconcile.condition(
            type,
            ConditionStatus.UNKNOWN,
            NodeReason.SIDECAR_NOT_PROBED,
            "the sidecar of the new pod has not been asked yet");
      } else {
        keep(reconcile, type);
      }
      return;
    }
    sidecarReady(reconcile, health.get());
  }

  private static void sidecarReady(NodeReconcile reconcile, SidecarHealth health) {
    NodeConditionType type = NodeConditionType.SIDECAR_READY;
    switch (health) {
      case READY ->
          reconcile.condition(
              type, ConditionStatus.TRUE, NodeReason.SIDECAR_READY, "the sidecar is ready");
      case NOT_READY ->
          reconcile.condition(
              type,
              ConditionStatus.FALSE,
              NodeReason.SIDECAR_NOT_READY,
              "the sidecar waits for mark-ready");
      case UNREACHABLE ->
          reconcile.condition(
              type,
              ConditionStatus.UNKNOWN,
              NodeReason.SIDECAR_UNREACHABLE,
              "the sidecar does not answer");
      case FORBIDDEN ->
          reconcile.condition(
              type,
              ConditionStatus.UNKNOWN,
              NodeReason.SIDECAR_FORBIDDEN,
              "something in front of the sidecar refuses its health probe, which carries no token");
      case UNKNOWN ->
          reconcile.condition(
              type,
              ConditionStatus.UNKNOWN,
              NodeReason.SIDECAR_NOT_PROBED,
              "the sidecar has not been asked");
    }
  }

  /** Whoever waits for a node that is paused wants its volume: no pod may have it any more. */
  private static void paused(NodeReconcile reconcile) {
    NodeConditionType type = NodeConditionType.PAUSED;
    NodeSnapshot snapshot = reconcile.snapshot();
    if (!snapshot.isPaused()) {
      reconcile.condition(
          type, ConditionStatus.FALSE, NodeReason.NOT_PAUSED, "spec.paused is not set");
    } else if (snapshot.ownedPod().isPresent() || !snapshot.bootstrapPods().isEmpty()) {
      reconcile.condition(
          type,
          ConditionStatus.FALSE,
          NodeReason.PAUSING,
          "spec.paused is true; the pod has yet to stop");
    } else {
      reconcile.condition(
          type, ConditionStatus.TRUE, NodeReason.PAUSED, "spec.paused is true; the pod is gone");
    }
  }

  /**
   * A template change that restarts nothing was noted when it was applied. The note stays until the
   * pod is of the newest revision again.
   */
  private static void restartPending(NodeReconcile reconcile) {
    NodeConditionType type = NodeConditionType.RESTART_PENDING;
    Optional<StatefulSet> settled = reconcile.statefulSet().filter(NodeConditions::isObserved);
    Optional<Pod> pod = reconcile.snapshot().livePod();
    if (settled.isEmpty() || pod.isEmpty()) {
      keepOr(reconcile, type, NodeReason.NO_RESTART_PENDING, "no restart is pending");
      return;
    }
    boolean newest =
        PodFacts.revision(pod.get())
            .equals(Optional.ofNullable(settled.get().getStatus().getUpdateRevision()));
    boolean sameIntent =
        reconcile
            .snapshot()
            .stampOf(pod.get())
            .equals(Optional.of(reconcile.snapshot().specHash()));
    if (newest || !sameIntent) {
      reconcile.condition(
          type, ConditionStatus.FALSE, NodeReason.NO_RESTART_PENDING, "no restart is pending");
    } else if (!Conditions.isTrue(reconcile.status().conditions(), type.toString())) {
      reconcile.condition(
          type,
          ConditionStatus.TRUE,
          NodeReason.TEMPLATE_CHANGED,
          "the pod runs with an older template");
    } else {
      keepOr(reconcile, type, NodeReason.TEMPLATE_CHANGED, "the pod runs with an older template");
    }
  }

  private static boolean isObserved(StatefulSet statefulSet) {
    return statefulSet.getStatus() != null
        && Objects.equals(
            statefulSet.getStatus().getObservedGeneration(),
            statefulSet.getMetadata().getGeneration());
  }

  private static void statefulSetReady(NodeReconcile reconcile) {
    NodeConditionType type = NodeConditionType.STATEFUL_SET_READY;
    if (reconcile.conflict().isPresent()) {
      reconcile.condition(
          type, ConditionStatus.FALSE, NodeReason.CONFLICT, reconcile.conflict().get());
    } else if (reconcile.status().replacing() != null) {
      reconcile.condition(
          type,
          ConditionStatus.FALSE,
          NodeReason.REPLACING,
          "replacing the StatefulSet with uid " + reconcile.status().replacing());
    } else if (reconcile.status().statefulSet() == null) {
      reconcile.condition(
          type, ConditionStatus.FALSE, NodeReason.NOT_CREATED, "there is no StatefulSet yet");
    } else {
      reconcile.condition(
          type,
          ConditionStatus.TRUE,
          NodeReason.TRACKED,
          "StatefulSet " + reconcile.status().statefulSet().name() + " is this node's");
    }
  }

  /** Leaves what a condition says, or says this if it says nothing yet. */
  private static void keepOr(
      NodeReconcile reconcile, NodeConditionType type, NodeReason reason, String message) {
    if (Conditions.find(reconcile.status().conditions(), type.toString()).isPresent()) {
      keep(reconcile, type);
    } else {
      reconcile.condition(type, ConditionStatus.FALSE, reason, message);
    }
  }

  /** Leaves what a condition says, as of the generation that is looked at. */
  private static void keep(NodeReconcile reconcile, NodeConditionType type) {
    Conditions.find(reconcile.status().conditions(), type.toString())
        .ifPresent(kept -> reconcile.condition(type, kept.status(), kept.reason(), kept.message()));
  }
}
