package io.sei.operator.node.volume;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.PutOff;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.node.model.VolumeRisk;
import io.sei.operator.plan.Aim;
import io.sei.operator.plan.Aim.Over;
import io.sei.operator.plan.Aim.Rank;
import io.sei.operator.reconcile.Verdict;
import java.util.List;
import java.util.Optional;

/**
 * PURE: the condition DataVolumeAtRisk. A node whose data was never at risk does not have the
 * condition.
 */
public record DataVolumeAtRisk() implements NodeFeature {

  private static final NodeConditionType TYPE = NodeConditionType.DATA_VOLUME_AT_RISK;

  /** What replaces a pod waits while it is kept; its seid is let go on meanwhile. */
  @Override
  public List<Aim> aims(NodeSnapshot snapshot, Over over) {
    return over == Over.ACTIVE
            && snapshot.isKept()
            && isYetToReplacePod(snapshot.status().plan())
            && snapshot.isSidecarWaiting()
        ? List.of(
            Aim.of(Rank.POD, PlanKind.MARK_READY, "the sidecar restarted, in a pod that is kept"))
        : List.of();
  }

  private static boolean isYetToReplacePod(TaskPlan plan) {
    return plan.kind() == PlanKind.UPDATE
        && plan.tasks().stream()
            .filter(task -> TaskTypes.REPLACE_POD.equals(task.type()))
            .anyMatch(task -> task.status() != TaskStatus.COMPLETE);
  }

  /** Sets the condition, unless what is left of a claim that is gone was reported. */
  @Override
  public void report(NodeReconcile reconcile, Optional<Finding> finding) {
    Optional<Condition> said = Conditions.find(reconcile.status().conditions(), TYPE);
    Optional<VolumeRisk> risk = reconcile.snapshot().risk();
    boolean reported = reconcile.offers().containsKey(TYPE);
    if (reported || (risk.isEmpty() && said.isEmpty())) {
      return;
    }
    Verdict verdict =
        risk.map(it -> verdict(reconcile.snapshot(), it))
            .orElseGet(
                () -> Verdict.no(NodeReason.NOT_AT_RISK, "the claim and its volume are in use"));
    reconcile.put(TYPE, verdict);
  }

  private static Verdict verdict(NodeSnapshot snapshot, VolumeRisk risk) {
    if (risk.accepted()) {
      return Verdict.no(
          NodeReason.DATA_LOSS_ACCEPTED,
          risk.what() + "; spec.dataVolume.acceptDataLoss lets the data go with the pod");
    }
    return Verdict.yes(
        risk.reason(),
        risk.message()
            + PutOff.of(snapshot).map(it -> "; waiting because of this: " + it).orElse(""));
  }
}
