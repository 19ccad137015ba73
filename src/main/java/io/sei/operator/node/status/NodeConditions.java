package io.sei.operator.node.status;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetSpec;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.base.Text;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.SeidRestartDue;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.Annotations;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Says in conditions what came of a reconcile, apart from the condition Stalled. */
public final class NodeConditions {

  /** An annotation that is to have a time may have anything. */
  private static final int MAX_TIME = 64;

  private final NodeReconcile reconcile;
  private final NodeSnapshot snapshot;
  private final SeiNodeStatus status;
  private final Optional<TaskPlan> plan;
  private final Optional<SeidRestartDue> restartOfSeid;

  private NodeConditions(NodeReconcile reconcile, List<NodeFeature> features) {
    this.reconcile = reconcile;
    this.snapshot = reconcile.snapshot();
    features.forEach(it -> it.say(reconcile));
    this.restartOfSeid = NodeFeature.restartOfSeid(features, reconcile);
    this.status = reconcile.status();
    // A plan that just completed is still there, but will not be once the status is written.
    this.plan = Optional.ofNullable(status.plan()).filter(it -> it.phase() != PlanPhase.COMPLETE);
  }

  /** Sets every condition that is no feature's. */
  public static void derive(
      NodeReconcile reconcile, Optional<Finding> finding, List<NodeFeature> features) {
    var conditions = new NodeConditions(reconcile, features);
    conditions.ready(finding);
    reconcile.put(NodeConditionType.UP_TO_DATE, UpToDate.of(reconcile, conditions.plan));
    reconcile.put(NodeConditionType.NODE_UPDATE_IN_PROGRESS, conditions.updateInProgress());
    reconcile.put(NodeConditionType.SIDECAR_READY, SidecarReady.of(reconcile));
    reconcile.put(NodeConditionType.PAUSED, Paused.of(reconcile));
    reconcile.put(NodeConditionType.RESTART_PENDING, conditions.restartPending());
    reconcile.put(NodeConditionType.STATEFUL_SET_READY, conditions.statefulSetReady());
  }

  /** Sets only what no other operator sets as well, or the two would undo each other's words. */
  public static void deriveConflict(
      NodeReconcile reconcile, NodeReason reason, String message, List<NodeFeature> features) {
    var conditions = new NodeConditions(reconcile, features);
    conditions.ready(Optional.empty());
    reconcile.put(NodeConditionType.STATEFUL_SET_READY, Verdict.no(reason, message));
    reconcile.put(
        NodeConditionType.STALLED, Verdict.yes(StallReason.STATEFUL_SET_CONFLICT, message));
    deriveReconciling(reconcile);
  }

  /** Sets the condition Reconciling, once Ready, UpToDate, Paused and Stalled are set. */
  public static void deriveReconciling(NodeReconcile reconcile) {
    reconcile.put(NodeConditionType.RECONCILING, reconciling(reconcile));
  }

  private static Verdict reconciling(NodeReconcile reconcile) {
    SeiNodeStatus status = reconcile.status();
    NodeSnapshot snapshot = reconcile.snapshot();
    if (status.progress().isStalled()) {
      return Verdict.no(new Reason.Stored(status.progress().stalledOn()), Finding.NOT_RECONCILING);
    }
    if (snapshot.isPaused() && status.pausedSince() == null) {
      return goesOn(reconcile, NodeConditionType.PAUSED);
    }
    if (snapshot.isPaused() && snapshot.stop().isEmpty()) {
      return Verdict.no(NodeReason.PAUSED, "spec.paused is true; the pod is gone");
    }
    if (snapshot.isIdle() && snapshot.isHeld()) {
      return Verdict.no(NodeReason.HELD, "seid is kept from starting; see the condition Held");
    }
    if (status.upToDateSince() == null) {
      return goesOn(reconcile, NodeConditionType.UP_TO_DATE);
    }
    if (status.readySince() == null) {
      return goesOn(reconcile, NodeConditionType.READY);
    }
    return Verdict.no(NodeReason.UP_TO_DATE, "the node is Ready and runs what the spec asks for");
  }

  /** Names the condition that is yet to become True, in its own words. */
  private static Verdict goesOn(NodeReconcile reconcile, NodeConditionType type) {
    return reconcile
        .said(type)
        .map(it -> Verdict.yes(it.reason(), it.message()))
        .orElse(Verdict.yes(NodeReason.PROGRESSING, "the condition " + type + " is not set yet"));
  }

  private void ready(Optional<Finding> finding) {
    reconcile.put(NodeConditionType.READY, Ready.of(reconcile, plan, finding));
  }

  private Verdict updateInProgress() {
    if (plan.filter(Ready::isUpdate).isPresent()) {
      return plan.get().isActive()
          ? Verdict.yes(
              NodeReason.UPDATE_STARTED, "updating to image " + plan.get().target().image())
          : Verdict.no(NodeReason.UPDATE_FAILED, NodeEvents.failure(plan.get()));
    }
    return Ready.isUpdate(snapshot.status().plan())
        ? Verdict.no(NodeReason.UPDATE_COMPLETE, "image " + status.currentImage() + " is running")
        : kept(NodeConditionType.NODE_UPDATE_IN_PROGRESS)
            .orElse(Verdict.no(NodeReason.NOT_STARTED, "no update yet"));
  }

  /**
   * A template change that restarts nothing was noted when it was applied. The note stays until the
   * pod is of the newest revision again.
   */
  private Verdict restartPending() {
    Verdict ofTemplate = templatePending();
    return ofTemplate.status() == ConditionStatus.TRUE
        ? ofTemplate
        : restartOfSeid
            .filter(it -> !it.byItself())
            .map(it -> Verdict.yes(NodeReason.CONFIGURATION_CHANGED, it.why()))
            .orElse(ofTemplate);
  }

  private Verdict templatePending() {
    Verdict none = Verdict.no(NodeReason.NO_RESTART_PENDING, "no restart is pending");
    Optional<Verdict> kept =
        kept(NodeConditionType.RESTART_PENDING)
            .filter(it -> !NodeReason.CONFIGURATION_CHANGED.is(it.reason().toString()))
            .filter(it -> !NodeReason.ROLLOUT_RESTART_IGNORED.is(it.reason().toString()));
    Optional<StatefulSet> observed =
        reconcile.snapshot().statefulSet().filter(NodeConditions::isObserved);
    Optional<Pod> pod = snapshot.livePod();
    if (observed.isEmpty() || pod.isEmpty()) {
      return kept.orElse(none);
    }
    boolean newest =
        PodFacts.revision(pod.get())
            .equals(Optional.ofNullable(observed.get().getStatus().getUpdateRevision()));
    boolean sameIntent = snapshot.stampOf(pod.get()).equals(Optional.of(snapshot.specHash()));
    if (newest || !sameIntent) {
      return none;
    }
    return rolloutRestart(observed.get(), pod.get())
        .orElseGet(
            () ->
                kept.filter(it -> it.status() == ConditionStatus.TRUE)
                    .orElse(
                        Verdict.yes(
                            NodeReason.TEMPLATE_CHANGED, "the pod runs an older template")));
  }

  /** Answers kubectl rollout restart, which changes the template and so restarts no node. */
  private Optional<Verdict> rolloutRestart(StatefulSet statefulSet, Pod pod) {
    Optional<String> asked =
        Optional.ofNullable(statefulSet.getSpec())
            .map(StatefulSetSpec::getTemplate)
            .map(PodTemplateSpec::getMetadata)
            .map(ObjectMeta::getAnnotations)
            .map(annotations -> annotations.get(Annotations.ROLLOUT_RESTARTED_AT));
    return asked
        .filter(_ -> !asked.equals(Annotations.of(pod, Annotations.ROLLOUT_RESTARTED_AT)))
        .map(
            at ->
                Verdict.yes(
                    NodeReason.ROLLOUT_RESTART_IGNORED,
                    "kubectl rollout restart of StatefulSet %s at %s restarts nothing; run: kubectl sei restart snode/%s -n %s"
                        .formatted(
                            statefulSet.getMetadata().getName(),
                            Text.line(at, MAX_TIME),
                            reconcile.name(),
                            reconcile.namespace())));
  }

  private static boolean isObserved(StatefulSet statefulSet) {
    return statefulSet.getStatus() != null
        && Objects.equals(
            statefulSet.getStatus().getObservedGeneration(),
            statefulSet.getMetadata().getGeneration());
  }

  private Verdict statefulSetReady() {
    if (reconcile.conflict().isPresent()) {
      return Verdict.no(NodeReason.CONFLICT, reconcile.conflict().get());
    }
    if (status.replacing() != null) {
      return Verdict.no(
          NodeReason.REPLACING, "replacing the StatefulSet with uid " + status.replacing());
    }
    return status.statefulSet() == null
        ? Verdict.no(NodeReason.NOT_CREATED, "the StatefulSet does not exist yet")
        : Verdict.yes(
            NodeReason.TRACKED,
            "StatefulSet " + status.statefulSet().name() + " belongs to this node");
  }

  private Optional<Verdict> kept(NodeConditionType type) {
    return reconcile.said(type);
  }
}
