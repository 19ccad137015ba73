package io.sei.operator.node.task;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;

/**
 * A task that waits while the API server refuses what it asks for. Whoever can change that is not
 * known to the operator, so it costs no retry and is tried again.
 *
 * @param task the task itself
 */
public record RefusableTask(Task<NodeReconcile> task) implements Task<NodeReconcile> {

  @Override
  public String type() {
    return task.type();
  }

  @Override
  public TaskOutcome run(PlannedTask planned, NodeReconcile reconcile) {
    try {
      return task.run(planned, reconcile);
    } catch (RefusedException e) {
      reconcile.refusals().add(e);
      Finding finding = Diagnosis.refused(e.getMessage());
      return TaskOutcome.waitFor(
          finding.reason().toString(), finding.message(), reconcile.refusalRecheck());
    }
  }
}
