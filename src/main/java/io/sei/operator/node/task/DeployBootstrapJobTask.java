package io.sei.operator.node.task;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.node.bootstrap.BootstrapJobs;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;

/** Makes the bootstrap Job of this very task; one that an earlier plan has left goes first. */
public record DeployBootstrapJobTask(BootstrapJobs jobs) implements Task<NodeReconcile> {

  @Override
  public String type() {
    return TaskTypes.DEPLOY_BOOTSTRAP_JOB;
  }

  @Override
  public TaskOutcome run(PlannedTask task, NodeReconcile reconcile) {
    return TaskOutcomes.of(jobs.deploy(reconcile, task.id()));
  }
}
