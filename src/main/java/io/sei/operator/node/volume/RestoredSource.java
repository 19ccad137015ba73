package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.RestoredFrom;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.RestoredVolume;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.PlanTrigger.Rank;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.PodParts;
import java.util.Objects;
import java.util.Optional;

/** Records what the claim was made from, which decides what the pod is like. */
record RestoredSource() {

  /** What a volume is made from, and so what it lacks, is open until there is a claim. */
  void operations(OperationParts operations) {
    operations.trigger(
        PlanConflict.ACTIVE,
        view ->
            isForAnother(view, view.stored().plan())
                ? Optional.of(
                    PlanTrigger.of(Rank.POD, PlanKind.INIT, "the source of the data changed"))
                : Optional.empty());
  }

  private static boolean isForAnother(NodeView view, TaskPlan plan) {
    boolean open =
        plan.kind() == PlanKind.INIT
            && (view.isEditedSince(plan) || view.declared().snapshotSource().isPresent())
            // Without one it leaves the volume as it is.
            && plan.targetPhase() != null
            && plan.tasks().stream()
                .filter(task -> TaskTypes.ENSURE_DATA_PVC.equals(task.type()))
                .anyMatch(task -> task.status() != TaskStatus.COMPLETE);
    boolean bringsState =
        plan.tasks().stream()
            .anyMatch(task -> SidecarTaskTypes.CONFIGURE_STATE_SYNC.equals(task.type()));
    return open && bringsState != view.node().getSpec().initialSnapshot().isPresent();
  }

  /** What the copy brings along of resets goes before a reset looks for it. */
  void pod(SeiNode node, PodParts pod) {
    DataRestoreContainer.render(node).ifPresent(pod::first);
  }

  Next observe(NodePass pass) {
    Optional<PersistentVolumeClaim> claim = pass.view().claim();
    RestoredFrom from = claim.flatMap(RestoredVolume::of).orElse(null);
    if (claim.isEmpty() || Objects.equals(from, pass.draft().restoredFrom())) {
      return Next.goOn();
    }
    pass.update(status -> status.withRestoredFrom(from));
    return Next.writeFirst("source");
  }
}
