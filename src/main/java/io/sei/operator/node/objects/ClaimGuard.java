package io.sei.operator.node.objects;

import static io.sei.operator.kube.ApiErrors.isConflict;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.node.feature.KeyUsage;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import java.util.Optional;

/**
 * Keeps a second node off an imported claim. Every way to a pod leads past it. A node marks the
 * claim with its uid, by the version that it has read, before anything mounts it: of two that do so
 * at the same moment the API server refuses one. A node whose StatefulSet mounts the claim already
 * is never kept from its pod.
 */
public record ClaimGuard(KubeApi api) {

  /** Advice for a claim that has another node's data. */
  public static final String NEXT_STEP =
      "delete that object (a SeiNode that made the claim with dataVolume.onDelete: Retain), or create this SeiNode again with another claim in spec.dataVolume.import.pvcName";

  /** Vetoes a pod that would mount an imported claim which another node uses. */
  public Veto check(NodePass pass) {
    Optional<String> imported = Names.importedClaim(pass.node());
    boolean free =
        imported.isEmpty()
            || pass.view().isPaused()
            || pass.view()
                .statefulSet()
                .filter(own -> ClaimHolders.holds(own, imported.get()))
                .isPresent();
    return free ? Veto.none() : mark(pass, imported.get());
  }

  private Veto mark(NodePass pass, String name) {
    Optional<PersistentVolumeClaim> claim =
        api.get(PersistentVolumeClaim.class, pass.namespace(), name);
    if (claim.isEmpty()) {
      return refused(
          pass,
          NodeReason.PVC_NOT_READY,
          "claim " + name + " does not exist (spec.dataVolume.import.pvcName)",
          "");
    }
    Optional<String> inUse = inUse(pass, claim.get());
    if (inUse.isPresent()) {
      return refused(pass, NodeReason.PVC_IN_USE, inUse.get(), "; " + NEXT_STEP);
    }
    if (ClaimHolders.isMarked(pass.node(), claim.get())) {
      return Veto.none();
    }
    try {
      api.mergePatch(
          claim.get(),
          MetadataPatch.annotation(
              claim.get(), Annotations.CLAIM_OWNER_UID, pass.node().getMetadata().getUid()));
      return Veto.none();
    } catch (KubernetesClientException e) {
      if (isConflict(e)) {
        return Veto.of(
            TaskReason.CLAIM_CHANGED, "claim " + name + " changed meanwhile", Recheck.RACE);
      }
      throw e;
    }
  }

  /** Names the other user of a claim's data; empty if there is none. */
  public Optional<String> inUse(NodePass pass, PersistentVolumeClaim claim) {
    return ClaimHolders.holder(pass.node(), claim, KeyUsage.of(api, pass.namespace()))
        .map(
            holder ->
                "claim %s has the data of %s".formatted(claim.getMetadata().getName(), holder));
  }

  /** Returns whether a claim is marked as the node's. */
  public boolean isMarked(NodePass pass, PersistentVolumeClaim claim) {
    return ClaimHolders.isMarked(pass.node(), claim);
  }

  private static Veto refused(NodePass pass, NodeReason reason, String message, String remedy) {
    pass.offer(NodeConditionType.IMPORT_PVC_READY, ConditionProposal.no(reason, message + remedy));
    return Veto.of(reason, message, Recheck.UNWATCHED);
  }
}
