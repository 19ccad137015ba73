package io.sei.operator.node.task;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.sidecar.SidecarException;

/**
 * A task of the sidecar that has to pass a guard at every look.
 *
 * @param guard may wait, fail, or record what the task works on
 * @param runner asks the sidecar once the guard has nothing against it
 */
public record GuardedTask(Guard guard, SidecarTaskRunner runner) implements Task<NodeReconcile> {

  @Override
  public String type() {
    return runner.type();
  }

  @Override
  public TaskOutcome run(PlannedTask task, NodeReconcile reconcile) {
    try {
      return guard.check(task, reconcile).orElseGet(() -> runner.run(task, reconcile));
    } catch (SidecarException e) {
      return runner.refused(task, reconcile, type(), e);
    }
  }
}
