package io.sei.operator.node.task;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.node.bootstrap.BootstrapState;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarException;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Duration;

/**
 * Has the sidecar let seid start. A sidecar keeps its tasks on the volume and the release in
 * memory: one that restarted knows the task as completed and holds seid back all the same. For the
 * node's own pod that is another plan's business; a bootstrap is part of its plan, which may come
 * back to this task.
 */
public final class MarkReadyTask implements Task<NodeReconcile> {

  private static final Duration RECHECK = Duration.ofMillis(100);

  private final SidecarTaskRunner runner;
  private final SidecarClient sidecar;

  public MarkReadyTask(SidecarTaskRunner runner, SidecarClient sidecar) {
    this.runner = runner;
    this.sidecar = sidecar;
  }

  @Override
  public String type() {
    return runner.type();
  }

  @Override
  public TaskOutcome run(PlannedTask task, NodeReconcile reconcile) {
    TaskOutcome outcome = runner.run(task, reconcile);
    boolean forgotten =
        outcome instanceof TaskOutcome.Done
            && BootstrapRun.isInJob(task, reconcile)
            && BootstrapRun.state(reconcile) instanceof BootstrapState.Running
            && sidecar.health(reconcile.sidecar()) == SidecarHealth.NOT_READY;
    return forgotten ? again(task, reconcile) : outcome;
  }

  private TaskOutcome again(PlannedTask task, NodeReconcile reconcile) {
    try {
      sidecar.cancel(reconcile.sidecar(), task.id());
    } catch (SidecarException e) {
      return TaskOutcome.waitFor("SidecarRestarted", e.getMessage(), RECHECK);
    }
    return TaskOutcome.waitFor(
        "SidecarRestarted", "the sidecar restarted; mark-ready is submitted again", RECHECK);
  }
}
