package io.sei.operator.node.bootstrap;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.plan.Aim;
import io.sei.operator.plan.Aim.Over;
import io.sei.operator.plan.Aim.Rank;
import java.util.List;
import java.util.Optional;

/** PURE: begins a bootstrap again that is asked for otherwise, and gives it the time it takes. */
public record Replay() implements NodeFeature {

  /** Only if somebody edited the spec: a new version of the operator disturbs no node. */
  @Override
  public List<Aim> aims(NodeSnapshot snapshot, Over over) {
    TaskPlan plan = snapshot.status().plan();
    return over == Over.ACTIVE
            && plan.kind() == PlanKind.INIT
            && snapshot.isEditedSince(plan)
            && BootstrapTasks.isForAnother(plan, snapshot.node().getSpec())
        ? List.of(Aim.of(Rank.POD, PlanKind.INIT, "the bootstrap changed"))
        : List.of();
  }

  /** How long seid replays depends on the heights, and nothing tells how far it is. */
  @Override
  public Optional<String> withoutDeadline(NodeReconcile pass) {
    return pass.waitsFor()
        .filter(BootstrapTasks.REPLAYING::equals)
        .map(any -> "the bootstrap is replaying blocks, which has no deadline");
  }
}
