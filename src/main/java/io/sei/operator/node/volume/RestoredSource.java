package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.RestoredFrom;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.base.Times;
import io.sei.operator.diagnosis.CauseOfDeath;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
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
import io.sei.operator.render.Annotations;
import io.sei.operator.render.PodParts;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records what the claim was made from, which shapes the pod, and marks a VolumeSnapshot as bad.
 */
record RestoredSource(KubeApi api) {

  private static final Logger log = LoggerFactory.getLogger(RestoredSource.class);

  /** An older volume was damaged here, not by its source. */
  private static final Duration SPEAKS_OF_ITS_SOURCE = Duration.ofDays(1);

  /** Until there is a claim, another source makes another plan. */
  void operations(OperationParts operations) {
    operations.trigger(
        PlanConflict.ACTIVE,
        view -> isForAnother(view, view.stored().plan()),
        view -> PlanTrigger.of(Rank.POD, PlanKind.INIT, "the source of the data changed"));
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

  /** Removes what the copy has of resets before the container of a reset looks for it. */
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

  /**
   * Marks the VolumeSnapshot that the node was made from, if seid dies of its data within a day:
   * the next node is made from another one. A seid is Ready until a peer reports how long the chain
   * is, so it does not matter whether it was Ready.
   */
  void markBad(NodePass pass) {
    RestoredFrom source = pass.stored().restoredFrom();
    if (source == null || !isNew(pass.view())) {
      return;
    }
    pass.view().ownedPod().flatMap(CauseOfDeath::badData).ifPresent(why -> mark(pass, source, why));
  }

  private static boolean isNew(NodeView view) {
    return view.claim()
        .flatMap(claim -> Times.parse(claim.getMetadata().getCreationTimestamp()))
        .filter(made -> made.plus(SPEAKS_OF_ITS_SOURCE).isAfter(view.now()))
        .isPresent();
  }

  /** A mark that is refused delays nothing; the next crash tries again. */
  private void mark(NodePass pass, RestoredFrom source, String why) {
    try {
      api.get(VolumeSnapshot.class, pass.namespace(), source.volumeSnapshot())
          .filter(snapshot -> snapshot.getMetadata().getUid().equals(source.uid()))
          .filter(snapshot -> Annotations.of(snapshot, Annotations.BAD_DATA).isEmpty())
          .ifPresent(snapshot -> mark(pass, snapshot, why));
    } catch (KubernetesClientException e) {
      log.warn("Cannot mark VolumeSnapshot {}: {}", source.volumeSnapshot(), e.getMessage());
    }
  }

  private void mark(NodePass pass, VolumeSnapshot snapshot, String why) {
    String died = "node %s died of %s".formatted(pass.node().getMetadata().getName(), why);
    api.mergePatch(snapshot, MetadataPatch.annotation(snapshot, Annotations.BAD_DATA, died));
    log.warn("Marked VolumeSnapshot {}: {}", snapshot.getMetadata().getName(), died);
  }
}
