package io.sei.operator.node.volume;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.kube.ObjectEvent.warning;
import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.feature.ConditionEvents;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.PutOff;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.feature.VolumeRisk;
import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.PlanTrigger.Rank;
import io.sei.operator.reconcile.ConditionProposal;
import java.util.Optional;

/**
 * PURE: the condition DataVolumeAtRisk. A node whose data was never at risk does not have the
 * condition.
 */
record DataVolumeAtRisk() {

  private static final NodeConditionType TYPE = NodeConditionType.DATA_VOLUME_AT_RISK;

  void operations(OperationParts operations) {
    // The replacement of a kept pod waits; its seid starts meanwhile.
    operations.trigger(
        PlanConflict.ACTIVE,
        view -> view.isKept() && isYetToReplacePod(view.stored().plan()) && view.isSidecarWaiting(),
        view ->
            PlanTrigger.of(
                Rank.POD, PlanKind.MARK_READY, "the sidecar restarted, in a pod that is kept"));
  }

  private static boolean isYetToReplacePod(TaskPlan plan) {
    return plan.kind() == PlanKind.UPDATE
        && plan.tasks().stream()
            .filter(task -> TaskTypes.REPLACE_POD.equals(task.type()))
            .anyMatch(task -> task.status() != TaskStatus.COMPLETE);
  }

  void conditions(ConditionParts conditions) {
    conditions
        .report(DataVolumeAtRisk::report)
        .event(ConditionEvents.on(TYPE, (before, after, now) -> event(now)));
  }

  /** Sets the condition, unless what is left of a claim that is gone was reported. */
  private static void report(NodePass pass) {
    Optional<Condition> said = pass.draft().condition(TYPE);
    Optional<VolumeRisk> risk = pass.view().risk();
    boolean reported = pass.offers().containsKey(TYPE);
    if (reported || (risk.isEmpty() && said.isEmpty())) {
      return;
    }
    ConditionProposal proposal =
        risk.map(atRisk -> verdict(pass.view(), atRisk))
            .orElseGet(() -> no(NodeReason.NOT_AT_RISK, "the claim and its volume are in use"));
    pass.put(TYPE, proposal);
  }

  private static ConditionProposal verdict(NodeView view, VolumeRisk risk) {
    if (risk.accepted()) {
      return no(
          NodeReason.DATA_LOSS_ACCEPTED,
          risk.what() + "; spec.dataVolume.acceptDataLoss lets the data go with the pod");
    }
    return yes(
        risk.reason(),
        risk.message()
            + PutOff.of(view).map(text -> "; waiting because of this: " + text).orElse(""));
  }

  private static Optional<ObjectEvent> event(Condition risk) {
    boolean released = risk.isFor(NodeReason.DATA_VOLUME_RELEASED);
    return Optional.of(
        risk.isTrue()
            ? warning(released ? "DataVolumeReleased" : "DataVolumeAtRisk", risk.message())
            : normal("DataVolumeNotAtRisk", risk.message()));
  }
}
