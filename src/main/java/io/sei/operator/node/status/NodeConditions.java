package io.sei.operator.node.status;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

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
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Annotations;
import java.util.Objects;
import java.util.Optional;

/** Says in conditions what came of a reconcile, apart from the condition Stalled. */
public final class NodeConditions {

  /** An annotation that is to have a time may have anything. */
  private static final int MAX_TIME = 64;

  private final NodePass pass;
  private final NodeView view;
  private final SeiNodeStatus status;
  private final Optional<TaskPlan> plan;

  private NodeConditions(NodePass pass) {
    this.pass = pass;
    this.view = pass.view();
    this.status = pass.draft();
    // A plan that just completed is still there, but will not be once the status is written.
    this.plan =
        Optional.ofNullable(status.plan()).filter(plan -> plan.phase() != PlanPhase.COMPLETE);
  }

  /** Sets every condition that is no feature's. */
  public static void derive(NodePass pass, Optional<Finding> finding) {
    var conditions = new NodeConditions(pass);
    conditions.ready(finding);
    pass.put(NodeConditionType.UP_TO_DATE, UpToDate.of(pass, conditions.plan));
    pass.put(NodeConditionType.NODE_UPDATE_IN_PROGRESS, conditions.updateInProgress());
    pass.put(NodeConditionType.SIDECAR_READY, SidecarReady.of(pass));
    pass.put(NodeConditionType.PAUSED, Paused.of(pass));
    pass.put(NodeConditionType.RESTART_PENDING, conditions.restartPending());
    pass.put(NodeConditionType.STATEFUL_SET_READY, conditions.statefulSetReady());
  }

  /** Sets only what no other operator sets as well, or the two would undo each other's words. */
  public static void deriveConflict(NodePass pass, NodeReason reason, String message) {
    var conditions = new NodeConditions(pass);
    conditions.ready(Optional.empty());
    pass.put(NodeConditionType.STATEFUL_SET_READY, no(reason, message));
    pass.put(NodeConditionType.STALLED, yes(StallReason.STATEFUL_SET_CONFLICT, message));
    deriveReconciling(pass);
  }

  /** Sets the condition Reconciling, once Ready, UpToDate, Paused and Stalled are set. */
  public static void deriveReconciling(NodePass pass) {
    pass.put(NodeConditionType.RECONCILING, reconciling(pass));
  }

  private static ConditionProposal reconciling(NodePass pass) {
    SeiNodeStatus status = pass.draft();
    NodeView view = pass.view();
    if (status.progress().isStalled()) {
      return no(new Reason.Stored(status.progress().stalledOn()), Finding.NOT_RECONCILING);
    }
    if (view.isPaused() && status.pausedSince() == null) {
      return goesOn(pass, NodeConditionType.PAUSED);
    }
    if (view.isPaused() && view.stop().isEmpty()) {
      return no(NodeReason.PAUSED, "spec.paused is true; the pod is gone");
    }
    if (view.isIdle() && view.isHeld()) {
      return no(NodeReason.HELD, "seid is kept from starting; see the condition Held");
    }
    if (!status.isTrue(NodeConditionType.UP_TO_DATE)) {
      return goesOn(pass, NodeConditionType.UP_TO_DATE);
    }
    if (status.readySince() == null) {
      return goesOn(pass, NodeConditionType.READY);
    }
    return no(NodeReason.UP_TO_DATE, "the node is Ready and runs what the spec asks for");
  }

  /** Names the condition that is yet to become True, in its own words. */
  private static ConditionProposal goesOn(NodePass pass, NodeConditionType type) {
    return pass.draftedCondition(type)
        .map(proposal -> yes(proposal.reason(), proposal.message()))
        .orElse(yes(NodeReason.PROGRESSING, "the condition " + type + " is not set yet"));
  }

  private void ready(Optional<Finding> finding) {
    pass.put(NodeConditionType.READY, Ready.of(pass, plan, finding));
  }

  private ConditionProposal updateInProgress() {
    if (plan.filter(Ready::isUpdate).isPresent()) {
      return plan.get().isActive()
          ? yes(NodeReason.UPDATE_STARTED, "updating to image " + plan.get().target().image())
          : no(NodeReason.UPDATE_FAILED, NodeEvents.failure(plan.get()));
    }
    return Ready.isUpdate(view.stored().plan())
        ? no(NodeReason.UPDATE_COMPLETE, "image " + status.currentImage() + " is running")
        : kept(NodeConditionType.NODE_UPDATE_IN_PROGRESS)
            .orElse(no(NodeReason.NOT_STARTED, "no update yet"));
  }

  /**
   * A template change that restarts nothing was noted when it was applied. The note stays until the
   * pod is of the newest revision again.
   */
  private ConditionProposal restartPending() {
    ConditionProposal ofTemplate = templatePending();
    return ofTemplate.status() == ConditionStatus.TRUE
        ? ofTemplate
        : pass.seidRestartDue()
            .filter(due -> !due.byItself())
            .map(due -> yes(NodeReason.CONFIGURATION_CHANGED, due.why()))
            .orElse(ofTemplate);
  }

  private ConditionProposal templatePending() {
    ConditionProposal none = no(NodeReason.NO_RESTART_PENDING, "no restart is pending");
    Optional<ConditionProposal> kept =
        kept(NodeConditionType.RESTART_PENDING)
            .filter(proposal -> !NodeReason.CONFIGURATION_CHANGED.is(proposal.reason()))
            .filter(proposal -> !NodeReason.ROLLOUT_RESTART_IGNORED.is(proposal.reason()));
    Optional<StatefulSet> observed = pass.view().statefulSet().filter(NodeConditions::isObserved);
    Optional<Pod> pod = view.livePod();
    if (observed.isEmpty() || pod.isEmpty()) {
      return kept.orElse(none);
    }
    boolean newest =
        PodFacts.revision(pod.get())
            .equals(Optional.ofNullable(observed.get().getStatus().getUpdateRevision()));
    boolean sameIntent = view.stampOf(pod.get()).equals(Optional.of(view.specHash()));
    if (newest || !sameIntent) {
      return none;
    }
    return rolloutRestart(observed.get(), pod.get())
        .orElseGet(
            () ->
                kept.filter(proposal -> proposal.status() == ConditionStatus.TRUE)
                    .orElse(yes(NodeReason.TEMPLATE_CHANGED, "the pod runs an older template")));
  }

  /** Answers kubectl rollout restart, which changes the template and so restarts no node. */
  private Optional<ConditionProposal> rolloutRestart(StatefulSet statefulSet, Pod pod) {
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
                yes(
                    NodeReason.ROLLOUT_RESTART_IGNORED,
                    "kubectl rollout restart of StatefulSet %s at %s restarts nothing; run: kubectl sei restart snode/%s -n %s"
                        .formatted(
                            statefulSet.getMetadata().getName(),
                            Text.line(at, MAX_TIME),
                            pass.name(),
                            pass.namespace())));
  }

  private static boolean isObserved(StatefulSet statefulSet) {
    return statefulSet.getStatus() != null
        && Objects.equals(
            statefulSet.getStatus().getObservedGeneration(),
            statefulSet.getMetadata().getGeneration());
  }

  private ConditionProposal statefulSetReady() {
    if (pass.conflict().isPresent()) {
      return no(NodeReason.CONFLICT, pass.conflict().get());
    }
    if (status.replacing() != null) {
      return no(NodeReason.REPLACING, "replacing the StatefulSet with uid " + status.replacing());
    }
    return status.statefulSet() == null
        ? no(NodeReason.NOT_CREATED, "the StatefulSet does not exist yet")
        : yes(
            NodeReason.TRACKED,
            "StatefulSet " + status.statefulSet().name() + " belongs to this node");
  }

  private Optional<ConditionProposal> kept(NodeConditionType type) {
    return pass.draftedCondition(type);
  }
}
