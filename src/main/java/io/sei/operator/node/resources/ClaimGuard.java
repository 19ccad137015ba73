package io.sei.operator.node.resources;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.node.model.Deed;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.Sighting;
import io.sei.operator.reconcile.Permit;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import java.net.HttpURLConnection;
import java.util.Optional;

/**
 * Keeps a second node off an imported claim. Every way to a pod leads past it. A node marks the
 * claim with its uid, by the version that it has read, before anything mounts it: of two that do so
 * at the same moment the API server refuses one. A node whose StatefulSet mounts the claim already
 * is never kept from its pod.
 */
public record ClaimGuard(KubeApi api) implements NodeFeature {

  @Override
  public Permit may(Deed deed, NodeReconcile reconcile) {
    return deed == Deed.START_POD ? check(reconcile) : Permit.yes();
  }

  /** Whether the node may have a pod that mounts its imported claim, if it has one. */
  Permit check(NodeReconcile reconcile) {
    Optional<String> imported = Names.importedClaim(reconcile.node());
    boolean free =
        imported.isEmpty()
            || reconcile.snapshot().isPaused()
            || reconcile
                .snapshot()
                .statefulSet()
                .filter(own -> ClaimHolders.holds(own, imported.get()))
                .isPresent();
    return free ? Permit.yes() : mark(reconcile, imported.get());
  }

  private Permit mark(NodeReconcile reconcile, String name) {
    Optional<PersistentVolumeClaim> claim =
        api.get(PersistentVolumeClaim.class, reconcile.namespace(), name);
    if (claim.isEmpty()) {
      return refused(
          reconcile,
          NodeReason.PVC_NOT_READY,
          "claim " + name + " does not exist (spec.dataVolume.import.pvcName)");
    }
    Optional<String> inUse = inUse(reconcile, claim.get());
    if (inUse.isPresent()) {
      return refused(reconcile, NodeReason.PVC_IN_USE, inUse.get());
    }
    if (ClaimHolders.isMarked(reconcile.node(), claim.get())) {
      return Permit.yes();
    }
    try {
      api.mergePatch(
          claim.get(),
          MetadataPatch.annotation(
              claim.get(), Annotations.CLAIM_OWNER_UID, reconcile.node().getMetadata().getUid()));
      return Permit.yes();
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return Permit.no(
            NodeReason.PVC_IN_USE, "claim " + name + " changed meanwhile", Recheck.RACE);
      }
      throw e;
    }
  }

  /** Says who else has the data on a claim, and what to do; empty if nobody does. */
  public Optional<String> inUse(NodeReconcile reconcile, PersistentVolumeClaim claim) {
    return ClaimHolders.holder(reconcile.node(), claim, Sighting.of(api, reconcile.namespace()))
        .map(
            holder ->
                "claim %s has the data of %s; set another claim in spec.dataVolume.import.pvcName,"
                        .formatted(claim.getMetadata().getName(), holder)
                    + " or delete that SeiNode first");
  }

  /** Whether a claim is marked as the node's. */
  public boolean isMarked(NodeReconcile reconcile, PersistentVolumeClaim claim) {
    return ClaimHolders.isMarked(reconcile.node(), claim);
  }

  private static Permit refused(NodeReconcile reconcile, NodeReason reason, String message) {
    reconcile.offer(NodeConditionType.IMPORT_PVC_READY, Verdict.no(reason, message));
    return Permit.no(reason, message, Recheck.UNWATCHED);
  }
}
