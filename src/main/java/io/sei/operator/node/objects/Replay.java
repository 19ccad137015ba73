package io.sei.operator.node.objects;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.PlanTrigger.Rank;
import java.util.List;
import java.util.Optional;

/** PURE: begins a bootstrap again that is asked for otherwise, and gives it the time it takes. */
public record Replay() implements NodeFeature {

  /** Only if somebody edited the spec: a new version of the operator disturbs no node. */
  @Override
  public List<PlanTrigger> planTriggers(NodeView view, PlanConflict conflict) {
    TaskPlan plan = view.stored().plan();
    return conflict == PlanConflict.ACTIVE
            && plan.kind() == PlanKind.INIT
            && view.isEditedSince(plan)
            && BootstrapTasks.isForAnother(plan, view.node().getSpec())
        ? List.of(PlanTrigger.of(Rank.POD, PlanKind.INIT, "the bootstrap changed"))
        : List.of();
  }

  /** How long seid replays depends on the heights, and nothing tells how far it is. */
  @Override
  public Optional<String> suspendsDeadline(NodePass pass) {
    return pass.waitsFor(TaskReason.REPLAYING)
        ? Optional.of("the bootstrap is replaying blocks, which has no deadline")
        : Optional.empty();
  }
}
