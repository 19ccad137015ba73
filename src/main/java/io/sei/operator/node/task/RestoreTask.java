package io.sei.operator.node.task;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.node.NodeWork;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.progression.Progression;
import io.sei.operator.render.Names;

/**
 * Has the sidecar restore a snapshot. It does so once in a volume's life, and says that it has done
 * it again whatever height it is asked for (seen on every version from 0.0.50 to 0.0.70).
 */
public final class RestoreTask implements Task<NodeWork> {

  private final SidecarTaskRunner runner;

  public RestoreTask(SidecarTaskRunner runner) {
    this.runner = runner;
  }

  @Override
  public String type() {
    return runner.type();
  }

  @Override
  public TaskOutcome run(PlannedTask task, NodeWork work) {
    return Progression.restoredHeight(task.params())
        .<TaskOutcome>map(
            height ->
                new TaskOutcome.Fail(
                    "volume %s has the snapshot for height %d already, and a volume is restored once: set snapshot.s3.targetHeight to %d again, or delete the node together with the claim"
                        .formatted(Names.claim(work.node()), height, height)))
        .orElseGet(() -> runner.run(task, work));
  }
}
