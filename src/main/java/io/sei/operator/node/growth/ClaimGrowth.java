package io.sei.operator.node.growth;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.Memory;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.node.model.ClaimPatches;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.Permits;
import io.sei.operator.node.model.PodDeletion;
import io.sei.operator.reconcile.Verdict;
import java.util.Optional;

/**
 * Has a node's claim ask for the size that the spec asks for, or for more where the volume grows by
 * itself. Whether a volume can grow is said by the API server, which knows its StorageClass: the
 * operator needs no right to read any. A node that runs is not stalled by a refusal.
 */
public final class ClaimGrowth implements NodeFeature {

  private final ClaimPatches patches;
  private final MountedGrowth mounted;

  /**
   * @param permits is asked before a pod is deleted
   */
  public ClaimGrowth(KubeApi api, NodeCaches caches, Permits permits, Memory<ResourceID> memory) {
    this.mounted = new MountedGrowth(new PodDeletion(api, caches), permits);
    this.patches = new ClaimPatches(api, caches, memory);
  }

  /** Changes the size of the node's own claim; writes only a difference. */
  @Override
  public void sync(NodeReconcile reconcile) {
    Optional<PersistentVolumeClaim> claim = patches.own(reconcile);
    Optional<VolumeSize> size =
        claim
            .flatMap(it -> VolumeSize.of(reconcile.node(), reconcile.status(), it))
            .filter(VolumeSize::isToChange);
    if (size.isEmpty()) {
      patches.settled(reconcile);
      return;
    }
    String patch = MetadataPatch.storageRequest(claim.get(), size.get().wanted());
    patches.send(reconcile, claim.get(), patch, it -> refused(claim.get(), size.get(), it));
    patches
        .refusal(reconcile)
        .ifPresent(
            it ->
                reconcile.offer(
                    NodeConditionType.DATA_VOLUME_RESIZED,
                    Verdict.no(NodeReason.RESIZE_REFUSED, it)));
  }

  /** Ends what keeps a volume from growing. */
  @Override
  public void keep(NodeReconcile reconcile) {
    mounted.replace(reconcile);
  }

  /** Records what is to be done of a volume that has no room left. */
  @Override
  public void report(NodeReconcile reconcile, Optional<Finding> finding) {
    AutoGrowth.decide(reconcile, finding);
    MountedGrowth.decide(reconcile, finding);
  }

  private static String refused(PersistentVolumeClaim claim, VolumeSize size, String words) {
    return "claim %s stays at %s instead of %s (%s): %s; check that %s has allowVolumeExpansion, or %s"
        .formatted(
            size.claim(),
            size.requested(),
            size.wanted(),
            size.isMoreThanAsked() ? VolumeSize.AUTO_GROW : VolumeSize.FIELD,
            words,
            storageClass(claim),
            size.isMoreThanAsked() ? "remove autoGrow" : "set the size back");
  }

  private static String storageClass(PersistentVolumeClaim claim) {
    String name = claim.getSpec().getStorageClassName();
    return name == null || name.isEmpty()
        ? "its StorageClass (it has none)"
        : "StorageClass " + name;
  }
}
