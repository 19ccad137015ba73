package io.sei.operator.node.sync;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.node.feature.SidecarWork;
import io.sei.operator.node.feature.Slot;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.Traits;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Fills a volume from a snapshot in a bucket, and uploads those that a node makes. */
public record BucketSnapshots() implements NodeFeature {

  /** Whether a node is to upload the snapshots that it makes. */
  static boolean arePublished(SeiNodeSpec spec) {
    return spec.stateSyncSnapshots().map(SnapshotGeneration.Tendermint::publish).isPresent();
  }

  @Override
  public void operations(OperationParts operations) {
    operations
        .task(
            SidecarWork.of(SidecarTaskTypes.SNAPSHOT_RESTORE, Traits.LONG)
                .withGuard((task, pass, sidecar) -> SnapshotRestore.check(task, pass)))
        .task(SidecarWork.of(SidecarTaskTypes.SNAPSHOT_UPLOAD, Traits.HARMLESS).withEndless(true))
        .steps(Slot.VOLUME, BucketSnapshots::restores)
        .steps(
            Slot.START,
            (view, shape) ->
                arePublished(view.node().getSpec())
                    ? Stream.of(new Step(SidecarTaskTypes.SNAPSHOT_UPLOAD, null))
                    : Stream.empty());
  }

  private static Stream<Step> restores(NodeView view, PlanShape shape) {
    return shape.isOfNewVolume()
        ? view.node().getSpec().initialSnapshot().map(Snapshot::s3).stream()
            .map(s3 -> restore(view, s3))
        : Stream.empty();
  }

  /** Returns the step with the snapshot that an earlier plan restored on the volume. */
  private static Step restore(NodeView view, Snapshot.S3 s3) {
    Step step = SnapshotRestore.of(s3);
    return restored(view.stored().plan())
        .map(earlier -> SnapshotRestore.after(earlier, step))
        .orElse(step);
  }

  private static Optional<JsonNode> restored(TaskPlan plan) {
    return Stream.ofNullable(plan)
        .filter(candidate -> candidate.kind() == PlanKind.INIT)
        .flatMap(taskPlan -> taskPlan.tasks().stream())
        .filter(task -> SidecarTaskTypes.SNAPSHOT_RESTORE.equals(task.type()))
        .filter(
            task ->
                task.status() == TaskStatus.COMPLETE
                    || SnapshotRestore.restoredHeight(task.params()).isPresent())
        .map(PlannedTask::params)
        .filter(Objects::nonNull)
        .findFirst();
  }
}
