package io.sei.operator.node.volume;

import static io.sei.operator.kube.ApiErrors.isConflict;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeVolume;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.VolumeFacts;
import io.sei.operator.node.feature.VolumeRisk;
import io.sei.operator.render.ClaimRenderer;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records which volume has a node's data, and keeps one that is at risk from being deleted with its
 * claim.
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
  void protect(NodePass pass) {
    pass.refusals().run(() -> retain(pass));
  }

  private void retain(NodePass reconcile) {
    Optional<VolumeRisk> atRisk = reconcile.view().risk().filter(risk -> !risk.accepted());
    if (atRisk.isEmpty()) {
      return;
    }
    reconcile.recheckAfter(VolumeWatch.AT_RISK);
    VolumeRisk risk = atRisk.get();
    if (!retains || risk.seen().isEmpty() || risk.seen().get().retained()) {
      return;
    }
    // By what is live: the volume may have been bound to another claim since it was read.
    api.get(PersistentVolume.class, risk.seen().get().name())
        .filter(volume -> VolumeFacts.of(volume).isOfClaim(risk.claimUid()))
        .ifPresent(volume -> retain(reconcile, volume, risk.what()));
  }

  private void retain(NodePass reconcile, PersistentVolume volume, String why) {
    log.warn("Setting PersistentVolume {} to Retain: {}", volume.getMetadata().getName(), why);
    try {
      String patch = MetadataPatch.reclaimPolicy(volume, VolumeFacts.RETAIN);
      volumes.wrote(reconcile.node(), api.mergePatch(volume, patch));
    } catch (KubernetesClientException e) {
      if (!isConflict(e)) {
        throw e;
      }
      reconcile.recheckAfter(Recheck.RACE);
    }
  }

  /**
   * Records the volume that the node's claim is bound to; forever the last one there was. Data that
   * has moved to another claim since {@link VolumeRebinding} looked is left to its next look: what
   * is recorded of the data has to move with it.
   */
  void recordVolume(NodePass reconcile) {
    NodeVolume last = reconcile.draft().dataVolume();
    claims
        .apply(reconcile.node())
        .filter(claim -> !VolumeRisk.isOfAnother(reconcile.node(), claim))
        .flatMap(claim -> bound(reconcile, claim))
        .filter(volume -> !Objects.equals(volume, last) && !volume.hasMovedFrom(last))
        .filter(volume -> isUsed(reconcile, volume))
        .ifPresent(volume -> reconcile.update(status -> status.withDataVolume(volume)));
  }

  /** A claim that a validator is kept from says nothing of where its data is. */
  private static boolean isUsed(NodePass reconcile, NodeVolume volume) {
    String used = reconcile.draft().dataClaimUid();
    return reconcile.node().getSpec().validator() == null || volume.claimUid().equals(used);
  }

  /** Returns whether the volume that a claim is bound to could be read. */
  boolean isVolumeRead(NodePass reconcile, PersistentVolumeClaim claim) {
    return volumes
        .volume(reconcile.node())
        .filter(volume -> volume.name().equals(claim.getSpec().getVolumeName()))
        .isPresent();
  }

  /** Returns the time after which an unreadable volume is read again. */
  Duration nextRead(NodePass reconcile) {
    return volumes.mayRead(reconcile.now()) ? VolumeWatch.FAILURE : Recheck.REFUSED;
  }

  /** Returns the volume of a bound claim. */
  Optional<NodeVolume> bound(NodePass reconcile, PersistentVolumeClaim claim) {
    String name = claim.getSpec().getVolumeName();
    boolean isBound = claim.getStatus() != null && "Bound".equals(claim.getStatus().getPhase());
    if (!isBound || name == null || name.isEmpty()) {
      return Optional.empty();
    }
    NodeVolume last = reconcile.draft().dataVolume();
    Optional<String> known =
        Optional.ofNullable(last)
            .filter(volume -> name.equals(volume.name()))
            .map(NodeVolume::handle);
    Optional<String> handle =
        volumes
            .volume(reconcile.node())
            .filter(facts -> name.equals(facts.name()))
            .flatMap(VolumeFacts::handle);
    return Optional.of(
        new NodeVolume(
            claim.getMetadata().getUid(),
            name,
            handle.or(() -> known).orElse(null),
            ClaimRenderer.onDelete(reconcile.node(), claim)));
  }
}
