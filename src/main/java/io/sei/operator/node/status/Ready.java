package io.sei.operator.node.status;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.node.objects.BootstrapTasks;
import io.sei.operator.reconcile.Arbiter;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.SnapshotStop;
import java.util.Optional;

/** PURE: decides the condition Ready of a node. */
final class Ready {

  private Ready() {}

  /**
   * Returns the proposal.
   *
   * @param plan unless it has just completed
   */
  static ConditionProposal of(NodePass pass, Optional<TaskPlan> plan, Optional<Finding> finding) {
    NodeView view = pass.view();
    Optional<Pod> pod = view.ownedPod();
    Optional<TaskPlan> active = plan.filter(TaskPlan::isActive);
    return new Arbiter<>(Rank.Ready.class, pass::offered)
        .offer(
            Rank.Ready.POD_READY,
            view.livePod().filter(PodFacts::isReady).isPresent(),
            yes(NodeReason.POD_READY, "the pod is Ready"))
        .offer(
            Rank.Ready.HELD,
            view.isHeld() && view.isIdle(),
            no(NodeReason.HELD, NodeView.holdReason(view.stored()) + ": seid is not started"))
        .offer(Rank.Ready.FINDING, () -> finding.map(ConditionProposal::no))
        .offer(
            Rank.Ready.STOPPED,
            () -> view.stop().map(stop -> no(NodeReason.STOPPED_FOR_SNAPSHOT, stopped(stop))))
        .offer(
            Rank.Ready.PAUSED,
            view.isPaused(),
            no(
                NodeReason.PAUSED,
                "spec.paused is true: the pod is " + (pod.isEmpty() ? "stopped" : "stopping")))
        .offer(
            Rank.Ready.BOOTSTRAP,
            () -> active.filter(BootstrapTasks::isUnderWay).map(taskPlan -> bootstrapping(pass)))
        .offer(
            Rank.Ready.UPDATE,
            active.filter(Ready::isUpdate).isPresent(),
            no(NodeReason.POD_REPLACING, "the update plan is replacing the pod"))
        .offer(Rank.Ready.NO_POD, pod.isEmpty(), no(NodeReason.NO_POD, "the node has no pod"))
        .offer(
            Rank.Ready.POD_TERMINATING,
            pod.filter(PodFacts::isTerminating).isPresent(),
            no(NodeReason.POD_TERMINATING, "the pod is being deleted"))
        .offer(
            Rank.Ready.POD_NOT_READY,
            true,
            no(
                NodeReason.POD_NOT_READY,
                pod.filter(PodFacts::wasReady).isPresent()
                    ? "the pod is no longer Ready"
                    : "the pod is not Ready yet"))
        .verdict();
  }

  private static ConditionProposal bootstrapping(NodePass pass) {
    return pass.obstacle()
        .map(obstacle -> no(NodeReason.CONFLICT, obstacle))
        .orElse(
            no(
                NodeReason.BOOTSTRAPPING,
                "a bootstrap Job uses the volume; the node's pod starts after it"));
  }

  /** Returns whether a plan brings a node to another target. */
  static boolean isUpdate(TaskPlan plan) {
    return plan != null && plan.kind() == PlanKind.UPDATE && plan.target() != null;
  }

  /** Describes a stop and its end. */
  static String stopped(SnapshotStop stop) {
    return "stopped for VolumeSnapshot %s; starts again by itself, at %s at the latest"
        .formatted(stop.snapshot(), stop.until());
  }
}
