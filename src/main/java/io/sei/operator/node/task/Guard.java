package io.sei.operator.node.task;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.plan.TaskOutcome;
import java.util.Optional;

/** What has to hold before the sidecar is asked for a task. */
@FunctionalInterface
public interface Guard {

  /**
   * What becomes of the task instead, or empty if the sidecar may be asked.
   *
   * @throws io.sei.operator.sidecar.SidecarException if the guard asks the sidecar itself
   */
  Optional<TaskOutcome> check(PlannedTask task, NodeReconcile reconcile);
}
