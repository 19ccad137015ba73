package io.sei.operator.node.objects;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.kube.Ownership;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.ClaimRenderer;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The claim that holds a node's data. Of its spec only size and attributes change. To whom it
 * belongs is said by an owner reference, or with the Retain policy only by a label and the owner's
 * uid: foreground deletion would collect an owned claim before any finalizer runs.
 */
public final class DataClaim {

  private final KubeApi api;
  private final NodeCaches caches;
  private final Function<SeiNode, PersistentVolumeClaim> renderer;
  private final String fieldManager;

  /**
   * @param renderer the claim to create
   */
  public DataClaim(
      KubeApi api,
      NodeCaches caches,
      Function<SeiNode, PersistentVolumeClaim> renderer,
      String fieldManager) {
    this.api = api;
    this.caches = caches;
    this.renderer = renderer;
    this.fieldManager = fieldManager;
  }

  /** Reads the claim the node uses, from the cache or live. */
  public Optional<PersistentVolumeClaim> read(NodePass pass) {
    return pass.view()
        .claim()
        .or(() -> api.get(PersistentVolumeClaim.class, pass.namespace(), Names.claim(pass.node())));
  }

  /**
   * Creates the claim.
   *
   * @param completion adds to the claim as rendered
   */
  public void create(NodePass pass, UnaryOperator<PersistentVolumeClaim> completion) {
    PersistentVolumeClaim claim = completion.apply(renderer.apply(pass.node()));
    PersistentVolumeClaim created = api.applyUnforced(claim, fieldManager);
    caches.remember(created, Optional.empty());
    // What comes later in this reconcile must not take it for one that is gone.
    pass.observed(created);
  }

  /**
   * Returns whether a claim is the node's, or was retained by an earlier node of the same name and
   * may be taken over.
   */
  public boolean isAdoptable(NodePass pass, PersistentVolumeClaim claim) {
    return switch (Ownership.of(claim, pass.node())) {
      case Ownership.Ours _ -> true;
      case Ownership.Unowned _ -> Labels.isOfNode(claim, pass.name());
      case Ownership.Foreign _ -> false;
    };
  }

  /** Makes the claim say whose it is as the node's policy demands; writes only a difference. */
  public void syncOwnership(NodePass pass) {
    if (Names.importedClaim(pass.node()).isPresent()) {
      return;
    }
    pass.view()
        .claim()
        .filter(claim -> !claim.isMarkedForDeletion())
        .filter(claim -> isAdoptable(pass, claim))
        .ifPresent(claim -> claimFor(pass.node(), claim));
  }

  /**
   * Takes off the claim which upgrades its data has been through.
   *
   * @return whether there was something to take off
   */
  public boolean forgetUpgrades(NodePass pass, PersistentVolumeClaim claim) {
    if (Annotations.of(claim, Annotations.APPLIED_UPGRADES).isEmpty()) {
      return false;
    }
    PersistentVolumeClaim written =
        api.mergePatch(claim, MetadataPatch.annotation(claim, Annotations.APPLIED_UPGRADES, null));
    // An imported claim without our label is not watched.
    if (pass.view().claim().isPresent()) {
      caches.remember(written, Optional.of(claim));
    }
    return true;
  }

  /** Makes the claim say that it belongs to the node, unless it is left behind by a deletion. */
  public void claimFor(SeiNode node, PersistentVolumeClaim claim) {
    List<OwnerReference> before = claim.getMetadata().getOwnerReferences();
    List<OwnerReference> references = references(node, claim);
    if (ClaimHolders.isMarked(node, claim) && references.equals(before)) {
      return;
    }
    if (references.size() > before.size() && api.isGoing(node)) {
      return;
    }
    String patch =
        MetadataPatch.ownerReferences(
            claim, references, Annotations.CLAIM_OWNER_UID, node.getMetadata().getUid());
    caches.remember(api.mergePatch(claim, patch), Optional.of(claim));
  }

  /** Takes the node off the claim's owners, so that the claim outlives it. */
  public void disown(SeiNode node, PersistentVolumeClaim claim) {
    List<OwnerReference> others = others(node, claim);
    if (others.size() < claim.getMetadata().getOwnerReferences().size()) {
      String patch =
          MetadataPatch.ownerReferences(
              claim, others, Annotations.CLAIM_OWNER_UID, node.getMetadata().getUid());
      caches.remember(api.mergePatch(claim, patch), Optional.of(claim));
    }
  }

  private static List<OwnerReference> others(SeiNode node, PersistentVolumeClaim claim) {
    return claim.getMetadata().getOwnerReferences().stream()
        .filter(owner -> !owner.getUid().equals(node.getMetadata().getUid()))
        .toList();
  }

  private List<OwnerReference> references(SeiNode node, PersistentVolumeClaim claim) {
    var references = new ArrayList<OwnerReference>(others(node, claim));
    references.addAll(ClaimRenderer.owners(node, claim));
    return references;
  }
}
