package io.sei.operator.node.task;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.NodeWork;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;

/**
 * A task that waits while the API server refuses what it asks for. Whoever can change that is not
 * known to the operator, so it costs no retry and is tried again.
 *
 * @param task the task itself
 */
public record RefusableTask(Task<NodeWork> task) implements Task<NodeWork> {

  @Override
  public String type() {
    return task.type();
  }

  @Override
  public TaskOutcome run(PlannedTask planned, NodeWork work) {
    try {
      return task.run(planned, work);
    } catch (RefusedException e) {
      work.refusals().add(e);
      Finding finding = Diagnosis.refused(e.getMessage());
      return TaskOutcome.waitFor(
          finding.reason().toString(), finding.message(), work.refusalRecheck());
    }
  }
}
