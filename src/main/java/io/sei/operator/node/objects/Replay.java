package io.sei.operator.node.objects;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.PlanTrigger.Rank;

/** PURE: begins a bootstrap again that is asked for otherwise, and gives it the time it takes. */
public record Replay() implements NodeFeature {

  @Override
  public void operations(OperationParts operations) {
    operations.trigger(
        PlanConflict.ACTIVE,
        Replay::isChanged,
        view -> PlanTrigger.of(Rank.POD, PlanKind.INIT, "the bootstrap changed"));
  }

  /** Requires an edit of the spec, so that a new version of the operator disturbs no node. */
  private static boolean isChanged(NodeView view) {
    TaskPlan plan = view.stored().plan();
    return plan.kind() == PlanKind.INIT
        && view.isEditedSince(plan)
        && BootstrapTasks.isForAnother(plan, view.node().getSpec());
  }

  @Override
  public void conditions(ConditionParts conditions) {
    conditions.record(this::record);
  }

  /** The duration of a replay depends on the heights, and its progress cannot be read. */
  void record(NodePass pass) {
    if (pass.waitsFor(TaskReason.REPLAYING)) {
      pass.suspendDeadline("the bootstrap is replaying blocks, which has no deadline");
    }
  }
}
