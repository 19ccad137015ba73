package io.sei.operator.node.task;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.progression.Progression;
import io.sei.operator.render.Names;
import java.util.Optional;

/**
 * Fails a restore for another height than the volume was restored for. The sidecar restores once in
 * a volume's life, and completes a second restore without doing anything, whatever its height (seen
 * on every version from 0.0.50 to 0.0.70).
 */
public final class RestoredVolume implements Guard {

  @Override
  public Optional<TaskOutcome> check(PlannedTask task, NodeReconcile reconcile) {
    return Progression.restoredHeight(task.params())
        .map(
            height ->
                new TaskOutcome.Fail(
                    "volume %s has the snapshot for height %d already, and a volume is restored once: set snapshot.s3.targetHeight to %d again, or delete the node together with the claim"
                        .formatted(Names.claim(reconcile.node()), height, height)));
  }
}
