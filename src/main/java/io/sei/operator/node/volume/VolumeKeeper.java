package io.sei.operator.node.volume;

import static io.sei.operator.kube.ApiErrors.isConflict;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.NodeVolume;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.node.feature.AppliedUpgrades;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.RestoredVolume;
import io.sei.operator.node.feature.StatusReset;
import io.sei.operator.node.feature.VolumeFacts;
import io.sei.operator.node.feature.VolumeRisk;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.ClaimRenderer;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records which volume has a node's data, keeps one that is at risk from being deleted with its
 * claim, and lets a node continue whose volume was bound to a new claim. Records of the data carry
 * the uid of the claim, and some stand on the claim; they move to the new one. A node starts over
 * if a new claim of that name has another volume.
 *
 * @param claims reads the claim that has the data of a node, an imported one included
 * @param retains whether the operator was given the right to change PersistentVolumes
 */
record VolumeKeeper(
    KubeApi api,
    Function<SeiNode, Optional<PersistentVolumeClaim>> claims,
    VolumeWatch volumes,
    boolean retains) {

  private static final Logger log = LoggerFactory.getLogger(VolumeKeeper.class);

  /** Sets the volume to Retain as soon as it is at risk, where that is allowed. */
  void retain(NodePass pass) {
    pass.refusals().run(() -> setToRetain(pass));
  }

  private void setToRetain(NodePass pass) {
    Optional<VolumeRisk> atRisk = pass.view().risk().filter(risk -> !risk.accepted());
    if (atRisk.isEmpty()) {
      return;
    }
    pass.recheckAfter(VolumeWatch.AT_RISK);
    VolumeRisk risk = atRisk.get();
    if (!retains || risk.seen().isEmpty() || risk.seen().get().retained()) {
      return;
    }
    // By what is live: the volume may have been bound to another claim since it was read.
    api.get(PersistentVolume.class, risk.seen().get().name())
        .filter(volume -> VolumeFacts.of(volume).isOfClaim(risk.claimUid()))
        .ifPresent(volume -> retain(pass, volume, risk.what()));
  }

  private void retain(NodePass pass, PersistentVolume volume, String why) {
    log.warn("Setting PersistentVolume {} to Retain: {}", volume.getMetadata().getName(), why);
    try {
      String patch = MetadataPatch.reclaimPolicy(volume, VolumeFacts.RETAIN);
      volumes.wrote(pass.node(), api.mergePatch(volume, patch));
    } catch (KubernetesClientException e) {
      if (!isConflict(e)) {
        throw e;
      }
      pass.recheckAfter(Recheck.RACE);
    }
  }

  /**
   * Records the volume that the node's claim is bound to; forever the last one there was. Data that
   * has moved to another claim since is left to the next pass: what is recorded of the data moves
   * with it.
   */
  private void recordVolume(NodePass pass) {
    NodeVolume last = pass.draft().dataVolume();
    claims
        .apply(pass.node())
        .filter(claim -> !VolumeRisk.isOfAnother(pass.node(), claim))
        .flatMap(claim -> bound(pass, claim))
        .filter(volume -> !Objects.equals(volume, last) && !volume.hasMovedFrom(last))
        .filter(volume -> isUsed(pass, volume))
        .ifPresent(volume -> pass.update(status -> status.withDataVolume(volume)));
  }

  /** A claim that a validator is kept from says nothing of where its data is. */
  private static boolean isUsed(NodePass pass, NodeVolume volume) {
    String used = pass.draft().dataClaimUid();
    return pass.node().getSpec().validator() == null || volume.claimUid().equals(used);
  }

  /** Returns whether the volume that a claim is bound to could be read. */
  private boolean isVolumeRead(NodePass pass, PersistentVolumeClaim claim) {
    return volumes
        .volume(pass.node())
        .filter(volume -> volume.name().equals(claim.getSpec().getVolumeName()))
        .isPresent();
  }

  /** Returns the time after which an unreadable volume is read again. */
  private Duration nextRead(NodePass pass) {
    return volumes.mayRead(pass.now()) ? VolumeWatch.FAILURE : Recheck.REFUSED;
  }

  /** Returns the volume of a bound claim. */
  private Optional<NodeVolume> bound(NodePass pass, PersistentVolumeClaim claim) {
    String name = claim.getSpec().getVolumeName();
    boolean isBound = claim.getStatus() != null && "Bound".equals(claim.getStatus().getPhase());
    if (!isBound || name == null || name.isEmpty()) {
      return Optional.empty();
    }
    NodeVolume last = pass.draft().dataVolume();
    Optional<NodeVolume> known =
        Optional.ofNullable(last).filter(volume -> name.equals(volume.name()));
    Optional<VolumeFacts> read =
        volumes.volume(pass.node()).filter(facts -> name.equals(facts.name()));
    String handle =
        read.flatMap(VolumeFacts::handle).or(() -> known.map(NodeVolume::handle)).orElse(null);
    boolean retained =
        read.map(VolumeFacts::retained)
            .orElseGet(() -> known.filter(NodeVolume::survivesDeletion).isPresent());
    RetentionPolicy onDelete = ClaimRenderer.onDelete(pass.node(), claim);
    return Optional.of(
        new NodeVolume(claim.getMetadata().getUid(), name, handle, onDelete, null)
            .withRetained(retained));
  }

  /**
   * Moves the records if the node's claim is another one that is bound to the same volume; else
   * records the volume to which it is bound. That of a validator is recorded once it may lose its
   * signing state, which it has reset by then. While the volume of a new claim cannot be read it
   * may be the same one, so that no record changes.
   */
  Next rebind(NodePass pass) {
    Next adopted = adopt(pass);
    if (!adopted.goesOn()) {
      return adopted;
    }
    Optional<PersistentVolumeClaim> newClaim = newClaim(pass);
    if (newClaim.isPresent() && !isVolumeRead(pass, newClaim.get())) {
      pass.recheckAfter(nextRead(pass));
      return Next.goOn();
    }
    recordVolume(pass);
    return newClaim.isPresent() && isRecorded(pass, newClaim.get())
        ? StatusReset.begin(pass)
        : adopted;
  }

  /**
   * The claim of the node, bound and with another uid than the last one. Without the right to read
   * volumes a claim of the node's own is taken for one of the same volume.
   */
  private Optional<PersistentVolumeClaim> newClaim(NodePass pass) {
    NodeVolume last = pass.draft().dataVolume();
    if (last == null || last.claimUid() == null) {
      return Optional.empty();
    }
    return claims
        .apply(pass.node())
        .filter(claim -> !last.claimUid().equals(claim.getMetadata().getUid()))
        .filter(claim -> bound(pass, claim).isPresent())
        .filter(
            claim ->
                Names.importedClaim(pass.node()).isPresent()
                    || isVolumeRead(pass, claim)
                    || volumes.mayRead(pass.now()));
  }

  private static boolean isRecorded(NodePass pass, PersistentVolumeClaim claim) {
    NodeVolume recorded = pass.draft().dataVolume();
    return recorded != null && claim.getMetadata().getUid().equals(recorded.claimUid());
  }

  private Next adopt(NodePass pass) {
    SeiNodeStatus status = pass.draft();
    NodeVolume last = status.dataVolume();
    Optional<PersistentVolumeClaim> claim =
        claims.apply(pass.node()).filter(bound -> !bound.isMarkedForDeletion());
    Optional<NodeVolume> now =
        claim.flatMap(bound -> bound(pass, bound)).filter(volume -> volume.hasMovedFrom(last));
    if (now.isEmpty()) {
      return Next.goOn();
    }
    annotate(pass.node(), claim.get(), status, now.get().claimUid());
    pass.update(before -> moved(before, last.claimUid(), now.get()));
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
    return EventRule.normal("ClaimReplaced", VolumeKeeper::claimReplaced);
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
