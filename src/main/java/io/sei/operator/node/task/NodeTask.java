package io.sei.operator.node.task;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A task of a node's plan. It waits while the API server refuses what it asks for: whoever can
 * change that is not known to the operator, so it costs no retry and is tried again.
 *
 * @param type the task's type
 * @param body runs the task once
 */
public record NodeTask(String type, BiFunction<PlannedTask, NodeReconcile, TaskOutcome> body)
    implements Task<NodeReconcile> {

  /** A task that its type tells everything about. */
  public static NodeTask of(String type, Function<NodeReconcile, TaskOutcome> body) {
    return new NodeTask(type, (task, reconcile) -> body.apply(reconcile));
  }

  @Override
  public TaskOutcome run(PlannedTask task, NodeReconcile reconcile) {
    try {
      return body.apply(task, reconcile);
    } catch (RefusedException e) {
      return waitFor(reconcile.refusals().add(e), reconcile.refusalRecheck());
    }
  }

  /** Waits for what a diagnosis has found. */
  static TaskOutcome waitFor(Finding finding, Duration recheck) {
    return TaskOutcome.waitFor(finding.reason(), finding.message(), recheck);
  }
}
