package io.sei.operator.node;

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
import io.sei.operator.sidecar.SidecarHealth;
import java.util.Objects;
import java.util.Optional;

/** Says in conditions what came of a reconcile, apart from the condition Stalled. */
final class NodeConditions {

  private NodeConditions() {}

  /** Sets every general condition of the status to be written. */
  static void derive(NodeWork work, Optional<Finding> finding) {
    KeyConditions.derive(work);
    ready(work, finding);
    upToDate(work);
    updateInProgress(work);
    sidecarReady(work);
    paused(work);
    restartPending(work);
    statefulSetReady(work);
  }

  /** Sets only what no other operator sets as well, or the two would undo each other's words. */
  static void deriveContested(NodeWork work, String message) {
    ready(work, Optional.empty());
    work.condition(
        NodeConditionType.STATEFUL_SET_READY,
        ConditionStatus.FALSE,
        NodeReason.GO_OPERATOR_RUNS,
        message);
    work.condition(
        NodeConditionType.STALLED,
        ConditionStatus.TRUE,
        StallReason.STATEFUL_SET_CONFLICT,
        message);
  }

  private static void ready(NodeWork work, Optional<Finding> finding) {
    NodeSnapshot snapshot = work.snapshot();
    Optional<Pod> pod = snapshot.ownedPod();
    NodeConditionType type = NodeConditionType.READY;
    if (snapshot.livePod().filter(PodFacts::isReady).isPresent()) {
      work.condition(type, ConditionStatus.TRUE, NodeReason.POD_READY, "the pod is Ready");
    } else if (finding.isPresent()) {
      work.condition(type, ConditionStatus.FALSE, finding.get().reason(), finding.get().message());
    } else if (snapshot.isPaused()) {
      work.condition(
          type,
          ConditionStatus.FALSE,
          NodeReason.PAUSED,
          "spec.paused is true: the pod is " + (pod.isEmpty() ? "stopped" : "stopping"));
    } else if (isBootstrapping(work)) {
      boolean blocked = work.obstacle().isPresent();
      work.condition(
          type,
          ConditionStatus.FALSE,
          blocked ? NodeReason.CONFLICT : NodeReason.BOOTSTRAPPING,
          work.obstacle().orElse("a bootstrap Job has the volume before the node's own pod"));
    } else if (isUpdating(work)) {
      work.condition(
          type,
          ConditionStatus.FALSE,
          NodeReason.POD_REPLACING,
          "the update plan replaces the pod");
    } else if (pod.isEmpty() && KeyConditions.obstacle(work).isPresent()) {
      Condition key = KeyConditions.obstacle(work).get();
      work.condition(type, ConditionStatus.FALSE, key.reason(), key.message());
    } else if (pod.isEmpty()) {
      work.condition(type, ConditionStatus.FALSE, NodeReason.NO_POD, "there is no pod");
    } else if (PodFacts.isTerminating(pod.get())) {
      work.condition(
          type, ConditionStatus.FALSE, NodeReason.POD_TERMINATING, "the pod is being deleted");
    } else {
      work.condition(
          type, ConditionStatus.FALSE, NodeReason.POD_NOT_READY, "the pod is not Ready yet");
    }
  }

  private static boolean isBootstrapping(NodeWork work) {
    TaskPlan plan = work.status().plan();
    return BootstrapTasks.isUnderWay(plan) && plan.isActive();
  }

  private static boolean isUpdating(NodeWork work) {
    TaskPlan plan = work.status().plan();
    return isUpdate(plan) && plan.isActive();
  }

  private static void upToDate(NodeWork work) {
    TaskPlan plan = unfinished(work.status().plan());
    Optional<Finding> refusal = work.refusals().message().map(Diagnosis::refused);
    NodeConditionType type = NodeConditionType.UP_TO_DATE;
    if (plan != null && plan.isFailed()) {
      work.condition(type, ConditionStatus.FALSE, NodeReason.PLAN_FAILED, NodeEvents.failure(plan));
    } else if (plan != null) {
      work.condition(
          type,
          ConditionStatus.FALSE,
          NodeReason.PLAN_ACTIVE,
          "a plan (" + plan.kind() + ") is active, see status.plan");
    } else if (work.obstacle().isPresent()) {
      work.condition(type, ConditionStatus.FALSE, NodeReason.CONFLICT, work.obstacle().get());
    } else if (refusal.isPresent()) {
      work.condition(type, ConditionStatus.FALSE, refusal.get().reason(), refusal.get().message());
    } else if (isUpToDate(work)) {
      work.condition(
          type, ConditionStatus.TRUE, NodeReason.UP_TO_DATE, "runs what the spec asks for");
    } else {
      work.condition(
          type, ConditionStatus.FALSE, NodeReason.OUTDATED, "does not run what the spec asks for");
    }
  }

  private static boolean isUpToDate(NodeWork work) {
    SeiNodeStatus status = work.status();
    NodeSnapshot snapshot = work.snapshot();
    return snapshot.specHash().equals(status.podSpecHash())
        && snapshot.node().getSpec().image().equals(status.currentImage())
        && (status.config() == null || status.config().hash().equals(snapshot.configHash()));
  }

  private static void updateInProgress(NodeWork work) {
    TaskPlan plan = unfinished(work.status().plan());
    TaskPlan before = work.snapshot().status().plan();
    NodeConditionType type = NodeConditionType.NODE_UPDATE_IN_PROGRESS;
    if (isUpdate(plan)) {
      boolean active = plan.isActive();
      work.condition(
          type,
          ConditionStatus.of(active),
          active ? NodeReason.UPDATE_STARTED : NodeReason.UPDATE_FAILED,
          active ? "to image " + plan.target().image() : NodeEvents.failure(plan));
    } else if (isUpdate(before)) {
      work.condition(
          type,
          ConditionStatus.FALSE,
          NodeReason.UPDATE_COMPLETE,
          "image " + work.status().currentImage() + " is in place");
    } else {
      keepOr(work, type, NodeReason.NOT_STARTED, "no update has been needed");
    }
  }

  /** A plan that just completed is still there, but will not be once the status is written. */
  private static TaskPlan unfinished(TaskPlan plan) {
    return plan == null || plan.phase() == PlanPhase.COMPLETE ? null : plan;
  }

  private static boolean isUpdate(TaskPlan plan) {
    return plan != null && plan.kind() == PlanKind.UPDATE && plan.target() != null;
  }

  private static void sidecarReady(NodeWork work) {
    NodeConditionType type = NodeConditionType.SIDECAR_READY;
    boolean active = work.status().plan() != null && work.status().plan().isActive();
    boolean noPod = work.snapshot().livePod().isEmpty();
    if (noPod && !active) {
      work.condition(
          type, ConditionStatus.UNKNOWN, NodeReason.NO_POD, "there is no pod to ask a sidecar in");
      return;
    }
    Optional<String> unsupported = UnknownTasks.inPlan(work);
    if (unsupported.isPresent()) {
      work.condition(
          type, ConditionStatus.FALSE, NodeReason.SIDECAR_UNSUPPORTED, unsupported.get());
      return;
    }
    Optional<SidecarHealth> health = work.sidecarHealth();
    // A plan takes a sidecar through not being ready; that is its business and no news.
    boolean planned = active && !health.equals(Optional.of(SidecarHealth.READY));
    if (noPod || planned || health.isEmpty()) {
      boolean known =
          Conditions.find(work.status().conditions(), type.toString())
              .filter(said -> !said.reason().equals(NodeReason.NO_POD.toString()))
              .isPresent();
      if (noPod || !known) {
        work.condition(
            type,
            ConditionStatus.UNKNOWN,
            NodeReason.SIDECAR_NOT_PROBED,
            "the sidecar of the new pod has not been asked yet");
      } else {
        keep(work, type);
      }
      return;
    }
    sidecarReady(work, health.get());
  }

  private static void sidecarReady(NodeWork work, SidecarHealth health) {
    NodeConditionType type = NodeConditionType.SIDECAR_READY;
    switch (health) {
      case READY ->
          work.condition(
              type, ConditionStatus.TRUE, NodeReason.SIDECAR_READY, "the sidecar is ready");
      case NOT_READY ->
          work.condition(
              type,
              ConditionStatus.FALSE,
              NodeReason.SIDECAR_NOT_READY,
              "the sidecar waits for mark-ready");
      case UNREACHABLE ->
          work.condition(
              type,
              ConditionStatus.UNKNOWN,
              NodeReason.SIDECAR_UNREACHABLE,
              "the sidecar does not answer");
      case FORBIDDEN ->
          work.condition(
              type,
              ConditionStatus.UNKNOWN,
              NodeReason.SIDECAR_FORBIDDEN,
              "something in front of the sidecar refuses its health probe, which carries no token");
      case UNKNOWN ->
          work.condition(
              type,
              ConditionStatus.UNKNOWN,
              NodeReason.SIDECAR_NOT_PROBED,
              "the sidecar has not been asked");
    }
  }

  /** Whoever waits for a node that is paused wants its volume: no pod may have it any more. */
  private static void paused(NodeWork work) {
    NodeConditionType type = NodeConditionType.PAUSED;
    NodeSnapshot snapshot = work.snapshot();
    if (!snapshot.isPaused()) {
      work.condition(type, ConditionStatus.FALSE, NodeReason.NOT_PAUSED, "spec.paused is not set");
    } else if (snapshot.ownedPod().isPresent() || !snapshot.bootstrapPods().isEmpty()) {
      work.condition(
          type,
          ConditionStatus.FALSE,
          NodeReason.PAUSING,
          "spec.paused is true; the pod has yet to stop");
    } else {
      work.condition(
          type, ConditionStatus.TRUE, NodeReason.PAUSED, "spec.paused is true; the pod is gone");
    }
  }

  /**
   * A template change that restarts nothing was noted when it was applied. The note stays until the
   * pod is of the newest revision again.
   */
  private static void restartPending(NodeWork work) {
    NodeConditionType type = NodeConditionType.RESTART_PENDING;
    Optional<StatefulSet> settled = work.statefulSet().filter(NodeConditions::isObserved);
    Optional<Pod> pod = work.snapshot().livePod();
    if (settled.isEmpty() || pod.isEmpty()) {
      keepOr(work, type, NodeReason.NO_RESTART_PENDING, "no restart is pending");
      return;
    }
    boolean newest =
        PodFacts.revision(pod.get())
            .equals(Optional.ofNullable(settled.get().getStatus().getUpdateRevision()));
    boolean sameIntent =
        work.snapshot().stampOf(pod.get()).equals(Optional.of(work.snapshot().specHash()));
    if (newest || !sameIntent) {
      work.condition(
          type, ConditionStatus.FALSE, NodeReason.NO_RESTART_PENDING, "no restart is pending");
    } else if (!Conditions.isTrue(work.status().conditions(), type.toString())) {
      work.condition(
          type,
          ConditionStatus.TRUE,
          NodeReason.TEMPLATE_CHANGED,
          "the pod runs with an older template");
    } else {
      keepOr(work, type, NodeReason.TEMPLATE_CHANGED, "the pod runs with an older template");
    }
  }

  private static boolean isObserved(StatefulSet statefulSet) {
    return statefulSet.getStatus() != null
        && Objects.equals(
            statefulSet.getStatus().getObservedGeneration(),
            statefulSet.getMetadata().getGeneration());
  }

  private static void statefulSetReady(NodeWork work) {
    NodeConditionType type = NodeConditionType.STATEFUL_SET_READY;
    if (work.conflict().isPresent()) {
      work.condition(type, ConditionStatus.FALSE, NodeReason.CONFLICT, work.conflict().get());
    } else if (work.status().replacing() != null) {
      work.condition(
          type,
          ConditionStatus.FALSE,
          NodeReason.REPLACING,
          "replacing the StatefulSet with uid " + work.status().replacing());
    } else if (work.status().statefulSet() == null) {
      work.condition(
          type, ConditionStatus.FALSE, NodeReason.NOT_CREATED, "there is no StatefulSet yet");
    } else {
      work.condition(
          type,
          ConditionStatus.TRUE,
          NodeReason.TRACKED,
          "StatefulSet " + work.status().statefulSet().name() + " is this node's");
    }
  }

  /** Leaves what a condition says, or says this if it says nothing yet. */
  private static void keepOr(
      NodeWork work, NodeConditionType type, NodeReason reason, String message) {
    if (Conditions.find(work.status().conditions(), type.toString()).isPresent()) {
      keep(work, type);
    } else {
      work.condition(type, ConditionStatus.FALSE, reason, message);
    }
  }

  /** Leaves what a condition says, as of the generation that is looked at. */
  private static void keep(NodeWork work, NodeConditionType type) {
    Conditions.find(work.status().conditions(), type.toString())
        .ifPresent(kept -> work.condition(type, kept.status(), kept.reason(), kept.message()));
  }
}
