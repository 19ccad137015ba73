package io.sei.operator.node;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.objects.BootstrapState;
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
record MarkReadyTask(SidecarTaskRunner runner, SidecarClient sidecar) {

  private static final Duration RECHECK = Duration.ofMillis(100);

  /** Runs the task once. */
  TaskOutcome run(PlannedTask task, NodePass pass) {
    TaskOutcome outcome = runner.run(task, pass);
    boolean forgotten =
        outcome.isDone()
            && BootstrapRun.isInJob(task, pass)
            && BootstrapRun.state(pass) instanceof BootstrapState.Running
            && sidecar.health(pass.sidecar()) == SidecarHealth.NOT_READY;
    if (forgotten) {
      return again(task, pass);
    }
    // The pod is often Ready by then: one reconcile sees both, and writes both.
    return outcome instanceof TaskOutcome.Wait wait
            && wait.submitted()
            && wait.recheck().compareTo(RECHECK) < 0
        ? TaskOutcome.submitted(wait.reason(), wait.message(), RECHECK)
        : outcome;
  }

  private TaskOutcome again(PlannedTask task, NodePass pass) {
    String message = "the sidecar restarted; submitting mark-ready again";
    try {
      sidecar.cancel(pass.sidecar(), task.id());
    } catch (SidecarException e) {
      message = e.getMessage();
    }
    return TaskOutcome.waitFor(TaskReason.SIDECAR_RESTARTED, message, RECHECK);
  }
}
