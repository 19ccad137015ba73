package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.base.Times;
import io.sei.operator.diagnosis.NodeFacts;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.SidecarAbilities;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.Annotations;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Leaves a node alone that serves on a Kubernetes node which is cordoned, or announces a drain or
 * maintenance: a drain is about to move its pod, which then has the new template as well. A pod
 * whose volume no other Kubernetes node can use is not replaced there at all, since the next one
 * could not be scheduled. Without the right to read Kubernetes nodes neither is vetoed.
 *
 * @param machine reads the Kubernetes node of a pod; empty if that is not known
 * @param isPinned whether only one Kubernetes node can use the data volume of a node
 */
public record LeavingMachine(
    Function<Pod, Optional<NodeFacts>> machine, Predicate<SeiNode> isPinned)
    implements NodeFeature {

  @Override
  public Veto veto(IrreversibleAct act, NodePass pass) {
    Optional<Pod> pod = pass.view().livePod();
    if (pod.isEmpty()) {
      return Veto.none();
    }
    return switch (act) {
      case INTERRUPT_SEID -> interrupt(pass, pod.get());
      case UPDATE_POD -> restartsInPlace(pass) ? Veto.none() : replace(pass, pod.get());
      // A pause ends the pod and starts none.
      case END_POD -> pass.view().isPaused() ? Veto.none() : replace(pass, pod.get());
      case START_POD, RELEASE_SEID -> Veto.none();
    };
  }

  @Override
  public void conditions(ConditionParts conditions) {
    conditions.record(LeavingMachine::suspendDeadline);
  }

  private static void suspendDeadline(NodePass pass) {
    if (pass.waitsFor(TaskReason.MACHINE_LEAVING)) {
      pass.suspendDeadline("its Kubernetes node is about to be drained");
    }
  }

  private Veto interrupt(NodePass pass, Pod pod) {
    if (!PodFacts.isReady(pod) || isRequested(pass, pod)) {
      return Veto.none();
    }
    return leaving(pod)
        .map(
            leaving ->
                refusal(
                    "%s; pod %s serves and is left alone until it has moved or that is over; kubectl sei restart does not wait"
                        .formatted(leaving, pod.getMetadata().getName())))
        .orElseGet(Veto::none);
  }

  private Veto replace(NodePass pass, Pod pod) {
    if (!isPinned.test(pass.node())) {
      return Veto.none();
    }
    return leaving(pod)
        .map(
            leaving ->
                refusal(
                    "%s, and no other one can use the volume of pod %s: uncordon it, a new pod could not be scheduled"
                        .formatted(leaving, pod.getMetadata().getName())))
        .orElseGet(Veto::none);
  }

  /** Returns whether the sidecar restarts seid for a task, in a pod that stays. */
  private static boolean restartsInPlace(NodePass pass) {
    TaskPlan plan = pass.stored().plan();
    return plan != null
        && plan.currentTask()
            .filter(task -> SidecarTaskTypes.RESTART_SEID.equals(task.type()))
            .isPresent()
        && SidecarAbilities.can(pass.view(), SidecarTaskTypes.RESTART_SEID);
  }

  private Optional<String> leaving(Pod pod) {
    return machine.apply(pod).flatMap(NodeFacts::leaving);
  }

  private static Veto refusal(String message) {
    return Veto.of(TaskReason.MACHINE_LEAVING, message, Recheck.BACKSTOP);
  }

  /** Returns whether a person asked for the end of this very pod: a restart, a hold or a reset. */
  private static boolean isRequested(NodePass pass, Pod pod) {
    SeiNodeSpec spec = pass.node().getSpec();
    boolean isRestart =
        Annotations.restartRequestedAt(pass.node())
            .flatMap(Times::parse)
            .filter(
                requested ->
                    Times.parse(pod.getMetadata().getCreationTimestamp())
                        .filter(requested::isAfter)
                        .isPresent())
            .isPresent();
    return spec.holding().isPresent() || pass.stored().awaitsNewData() || isRestart;
  }
}
