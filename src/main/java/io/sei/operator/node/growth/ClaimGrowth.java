package io.sei.operator.node.growth;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.Kept;
import io.sei.operator.base.Memory;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.Permits;
import io.sei.operator.node.model.PodDeletion;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.Annotations;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Has a node's claim ask for the size that the spec asks for, or for more where the volume grows by
 * itself. Whether a volume can grow is said by the API server, which knows its StorageClass: the
 * operator needs no right to read any. A node that runs is not stalled by a refusal.
 */
public final class ClaimGrowth implements NodeFeature {

  private record Refusal(Long generation, Instant at, String message) {}

  private final KubeApi api;
  private final NodeCaches caches;
  private final Kept<ResourceID, Refusal> refusals;
  private final MountedGrowth mounted;

  /**
   * @param permits is asked before a pod is deleted
   */
  public ClaimGrowth(KubeApi api, NodeCaches caches, Permits permits, Memory<ResourceID> memory) {
    this.mounted = new MountedGrowth(new PodDeletion(api, caches), permits);
    this.refusals = memory.compartment();
    this.api = api;
    this.caches = caches;
  }

  /** Changes the size of the node's own claim; writes only a difference. */
  @Override
  public void sync(NodeReconcile reconcile) {
    String owner = reconcile.node().getMetadata().getUid();
    Optional<PersistentVolumeClaim> claim =
        caches
            .claim(reconcile.node())
            .filter(it -> Annotations.has(it, Annotations.CLAIM_OWNER_UID, owner));
    Optional<VolumeSize> size =
        claim
            .flatMap(it -> VolumeSize.of(reconcile.node(), reconcile.status(), it))
            .filter(VolumeSize::isToChange);
    ResourceID node = ResourceID.fromResource(reconcile.node());
    if (size.isEmpty()) {
      refusals.remove(node);
      return;
    }
    if (refusals.get(node).filter(it -> !isOver(it, reconcile)).isEmpty()) {
      refusals.remove(node);
      resize(reconcile, claim.get(), size.get());
    }
    refusals.get(node).ifPresent(it -> report(reconcile, it));
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

  private static void report(NodeReconcile reconcile, Refusal refusal) {
    reconcile.offer(
        NodeConditionType.DATA_VOLUME_RESIZED,
        Verdict.no(NodeReason.RESIZE_REFUSED, refusal.message()));
    reconcile.recheckAfter(Recheck.REFUSED);
  }

  private static boolean isOver(Refusal refusal, NodeReconcile reconcile) {
    Duration age = Duration.between(refusal.at(), reconcile.snapshot().now());
    return !reconcile.node().getMetadata().getGeneration().equals(refusal.generation())
        || age.isNegative()
        || age.compareTo(Recheck.REFUSED) >= 0;
  }

  private void resize(NodeReconcile reconcile, PersistentVolumeClaim claim, VolumeSize size) {
    try {
      String patch = MetadataPatch.storageRequest(claim, size.wanted());
      caches.remember(api.mergePatch(claim, patch), Optional.of(claim));
    } catch (RefusedException e) {
      refusals.put(
          ResourceID.fromResource(reconcile.node()),
          new Refusal(
              reconcile.node().getMetadata().getGeneration(),
              reconcile.snapshot().now(),
              "claim %s stays at %s instead of %s (%s): %s; check that %s has allowVolumeExpansion, or %s"
                  .formatted(
                      size.claim(),
                      size.requested(),
                      size.wanted(),
                      size.isMoreThanAsked() ? VolumeSize.AUTO_GROW : VolumeSize.FIELD,
                      e.getMessage(),
                      storageClass(claim),
                      size.isMoreThanAsked() ? "remove autoGrow" : "set the size back")));
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
      reconcile.recheckAfter(Recheck.RACE);
    }
  }

  private static String storageClass(PersistentVolumeClaim claim) {
    String name = claim.getSpec().getStorageClassName();
    return name == null || name.isEmpty()
        ? "its StorageClass (it has none)"
        : "StorageClass " + name;
  }
}
