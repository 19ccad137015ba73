package io.sei.operator.node.task;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.node.BootstrapJobs;
import io.sei.operator.node.NodeWork;
import io.sei.operator.node.TaskTypes;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;

/** Makes the bootstrap Job of this very task; one that an earlier plan has left goes first. */
public record DeployBootstrapJobTask(BootstrapJobs jobs) implements Task<NodeWork> {

  @Override
  public String type() {
    return TaskTypes.DEPLOY_BOOTSTRAP_JOB;
  }

  @Override
  public TaskOutcome run(PlannedTask task, NodeWork work) {
    return TaskOutcomes.of(jobs.deploy(work, task.id()));
  }
}
