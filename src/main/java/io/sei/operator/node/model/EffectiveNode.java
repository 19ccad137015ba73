package io.sei.operator.node.model;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.render.SnapshotStop;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A node as it is to be, which is not always what its spec says: with the image of the last upgrade
 * in place of {@code spec.image}, where it is due, without a reset of its data that is refused,
 * without {@code snapshot} on a volume that is made from a VolumeSnapshot, paused while it is
 * stopped for a snapshot, and without what would end a pod whose data is at risk.
 *
 * @param declared as the user wrote it
 * @param node as it is to be
 * @param onClaim the upgrades that are recorded on the node's claim
 */
public record EffectiveNode(SeiNode declared, SeiNode node, List<UpgradeStatus> onClaim) {

  /**
   * The node as it is to be.
   *
   * @param kept the pod that may not be ended, if that is so
   */
  public static EffectiveNode of(
      SeiNode declared, Optional<PersistentVolumeClaim> claim, Optional<Pod> kept, Instant now) {
    List<UpgradeStatus> onClaim = AppliedUpgrades.onClaim(claim);
    SeiNodeSpec spec = declared.getSpec();
    for (UnaryOperator<SeiNodeSpec> layer : layers(declared, claim, onClaim, kept, now)) {
      spec = layer.apply(spec);
    }
    if (spec.equals(declared.getSpec())) {
      return new EffectiveNode(declared, declared, onClaim);
    }
    var node = new SeiNode();
    node.setMetadata(declared.getMetadata());
    node.setSpec(spec);
    node.setStatus(declared.getStatus());
    return new EffectiveNode(declared, node, onClaim);
  }

  /**
   * What is laid over the spec. Each layer changes a field of its own, and goes by none that
   * another one changes, so they may be applied in any order.
   */
  static List<UnaryOperator<SeiNodeSpec>> layers(
      SeiNode declared,
      Optional<PersistentVolumeClaim> claim,
      List<UpgradeStatus> onClaim,
      Optional<Pod> kept,
      Instant now) {
    SeiNodeStatus status =
        declared.getStatus() == null ? SeiNodeStatus.empty() : declared.getStatus();
    Optional<Pod> lasting = kept.filter(pod -> !PodFacts.isTerminating(pod));
    boolean stopped = SnapshotStop.of(declared, now).isPresent();
    return List.of(
        AppliedUpgrades.of(status, claim, onClaim)::effective,
        spec -> RestoredVolume.effective(spec, status, claim),
        spec ->
            lasting.isEmpty() && SigningState.mayBeLost(spec, status.dataClaimUid())
                ? spec
                : SigningState.withoutReset(spec, status),
        spec ->
            lasting.isPresent() ? spec.withPaused(null) : stopped ? spec.withPaused(true) : spec,
        spec -> lasting.map(pod -> spec.withMaintenance(keeping(pod, spec))).orElse(spec));
  }

  /** A pod that is kept goes on as it is: neither does a hold begin, nor does it end. */
  private static Maintenance keeping(Pod pod, SeiNodeSpec spec) {
    boolean held = PodFacts.isHeld(pod);
    return held == spec.holding().isPresent()
        ? spec.maintenance()
        : held ? new Maintenance(Maintenance.Hold.IMMEDIATE) : null;
  }
}
