package io.sei.operator.node.task;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.SyncResult;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;
import java.util.function.Function;

/**
 * Applies one object of the node.
 *
 * @param type the task's type
 * @param sync applies the object
 */
public record ApplyTask(String type, Function<NodeReconcile, SyncResult> sync)
    implements Task<NodeReconcile> {

  @Override
  public TaskOutcome run(PlannedTask task, NodeReconcile reconcile) {
    return TaskOutcomes.of(sync.apply(reconcile));
  }
}
