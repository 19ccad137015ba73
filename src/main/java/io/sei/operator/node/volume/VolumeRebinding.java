package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.NodeVolume;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.node.feature.AppliedUpgrades;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.RestoredVolume;
import io.sei.operator.node.feature.StatusReset;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.ClaimRenderer;
import io.sei.operator.render.Names;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Lets a node continue whose volume was bound to a new claim. Records of the data carry the uid of
 * the claim, and some stand on the claim; they move to the new one. A node that imports a claim
 * starts over if a new claim of that name has another volume.
 */
record VolumeRebinding(KubeApi api, VolumeKeeper volumes) {

  /**
   * Moves the records if the node's claim is another one that is bound to the same volume; else
   * records the volume to which it is bound. That of a validator is recorded once it may lose its
   * signing state, which it has reset by then. While the volume of a new imported claim cannot be
   * read it may be the same one, so that no record changes.
   */
  Next protect(NodePass pass) {
    Next adopted = adopt(pass);
    if (!adopted.goesOn()) {
      return adopted;
    }
    Optional<PersistentVolumeClaim> newImport = newImport(pass);
    if (newImport.isPresent() && !volumes.isVolumeRead(pass, newImport.get())) {
      pass.recheckAfter(volumes.nextRead(pass));
      return Next.goOn();
    }
    volumes.recordVolume(pass);
    return newImport.isPresent() && isRecorded(pass, newImport.get())
        ? StatusReset.begin(pass)
        : adopted;
  }

  /**
   * The claim that the node imports, bound and with another uid than the last one. Another claim of
   * the node's own is made by its plan, which starts over before that.
   */
  private Optional<PersistentVolumeClaim> newImport(NodePass pass) {
    NodeVolume last = pass.draft().dataVolume();
    if (Names.importedClaim(pass.node()).isEmpty() || last == null || last.claimUid() == null) {
      return Optional.empty();
    }
    return volumes
        .claims()
        .apply(pass.node())
        .filter(claim -> !last.claimUid().equals(claim.getMetadata().getUid()))
        .filter(claim -> volumes.bound(pass, claim).isPresent());
  }

  private static boolean isRecorded(NodePass pass, PersistentVolumeClaim claim) {
    NodeVolume recorded = pass.draft().dataVolume();
    return recorded != null && claim.getMetadata().getUid().equals(recorded.claimUid());
  }

  private Next adopt(NodePass reconcile) {
    SeiNodeStatus status = reconcile.draft();
    NodeVolume last = status.dataVolume();
    Optional<PersistentVolumeClaim> claim =
        volumes.claims().apply(reconcile.node()).filter(bound -> !bound.isMarkedForDeletion());
    Optional<NodeVolume> now =
        claim
            .flatMap(bound -> volumes.bound(reconcile, bound))
            .filter(volume -> volume.hasMovedFrom(last));
    if (now.isEmpty()) {
      return Next.goOn();
    }
    annotate(reconcile.node(), claim.get(), status, now.get().claimUid());
    reconcile.update(before -> moved(before, last.claimUid(), now.get()));
    return Next.writeFirst("volume");
  }

  private void annotate(
      SeiNode node, PersistentVolumeClaim claim, SeiNodeStatus status, String uid) {
    Map<String, String> missing = new HashMap<>();
    List<UpgradeStatus> upgrades = AppliedUpgrades.of(status, Optional.empty()).records();
    if (!upgrades.isEmpty() && Annotations.of(claim, Annotations.APPLIED_UPGRADES).isEmpty()) {
      missing.put(Annotations.APPLIED_UPGRADES, new AppliedUpgrades(upgrades).of(uid).annotation());
    }
    if (status.restoredFrom() != null && RestoredVolume.of(claim).isEmpty()) {
      missing.put(Annotations.RESTORED_FROM, RestoredVolume.annotation(status.restoredFrom()));
    }
    if (status.dataVolume().onDelete() == RetentionPolicy.RETAIN
        && Names.importedClaim(node).isEmpty()
        && Annotations.of(claim, Annotations.ON_DELETE).isEmpty()) {
      missing.put(Annotations.ON_DELETE, ClaimRenderer.text(RetentionPolicy.RETAIN));
    }
    if (!missing.isEmpty()) {
      api.mergePatch(claim, MetadataPatch.annotations(claim, missing));
    }
  }

  private static SeiNodeStatus moved(SeiNodeStatus status, String from, NodeVolume to) {
    return status
        .withWiped(from, to.claimUid())
        .with(
            builder ->
                builder
                    .dataVolume(to)
                    .dataClaimUid(moved(status.dataClaimUid(), from, to.claimUid()))
                    .upgrades(
                        status.upgrades() == null
                            ? null
                            : status.upgrades().stream()
                                .map(
                                    upgrade ->
                                        upgrade.withClaimUid(
                                            moved(upgrade.claimUid(), from, to.claimUid())))
                                .toList()));
  }

  private static String moved(String uid, String from, String to) {
    return Objects.equals(uid, from) ? to : uid;
  }

  /** Event for a volume that was bound to another claim. */
  static EventRule<SeiNodeStatus> event() {
    return EventRule.normal("ClaimReplaced", VolumeRebinding::claimReplaced);
  }

  private static Optional<String> claimReplaced(SeiNodeStatus before, SeiNodeStatus after) {
    return Optional.ofNullable(after.dataVolume())
        .filter(now -> now.hasMovedFrom(before.dataVolume()))
        .map(
            now ->
                "volume %s with the node's data is bound to another claim; the node goes on with it"
                    .formatted(now.name()));
  }
}
