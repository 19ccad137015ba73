package io.sei.operator.node.sync;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Names;
import java.util.Optional;

/**
 * Parameters of the sidecar's restore on a volume. It restores once in a volume's life, and
 * completes a second restore without doing anything, whatever its height (seen on every version
 * from 0.0.50 to 0.0.70).
 */
final class SnapshotRestore {

  private static final String TARGET_HEIGHT = "targetHeight";
  private static final String RESTORED_HEIGHT = "restoredHeight";

  private SnapshotRestore() {}

  /** Restores a snapshot from S3. */
  static Step of(Snapshot.S3 s3) {
    return new Step(
        SidecarTaskTypes.SNAPSHOT_RESTORE,
        JsonNodeFactory.instance.objectNode().put(TARGET_HEIGHT, s3.targetHeight()));
  }

  /**
   * A restore on a volume that an earlier task may have restored already.
   *
   * @param earlier parameters of the earlier task, itself from here or not
   */
  static Step after(JsonNode earlier, Step step) {
    long height = restoredHeight(earlier).orElse(earlier.path(TARGET_HEIGHT).asLong());
    ObjectNode params = step.params().deepCopy();
    return step.params().path(TARGET_HEIGHT).asLong() == height
        ? step
        : new Step(step.type(), params.put(RESTORED_HEIGHT, height));
  }

  /** The height for which a volume was restored, if that is not the one asked for. */
  static Optional<Long> restoredHeight(JsonNode params) {
    return Optional.ofNullable(params)
        .map(json -> json.path(RESTORED_HEIGHT))
        .filter(JsonNode::isNumber)
        .map(JsonNode::asLong);
  }

  /** Fails a restore for another height than the volume was restored for. */
  static Optional<TaskOutcome> check(PlannedTask task, NodePass pass) {
    return restoredHeight(task.params())
        .map(
            height ->
                new TaskOutcome.Fail(
                    "claim %s was already restored at height %d, and a volume is restored only once: set snapshot.s3.targetHeight back to %d, or empty the volume: raise spec.dataResetGeneration"
                        .formatted(Names.claim(pass.node()), height, height)));
  }
}
