package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.render.SnapshotStop;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A node with the operator's changes to its spec: with the image of the last upgrade in place of
 * {@code spec.image}, where it is due, without {@code snapshot} on a volume that is made from a
 * VolumeSnapshot, paused while it is stopped for a snapshot, not paused where that would end a pod
 * whose data is at risk, and with the features' overlays.
 *
 * @param declared as the user wrote it
 * @param node as it is to be
 * @param onClaim the upgrades that are recorded on the node's claim
 * @param setAside fields that would end the pod, and whose declared values wait
 */
public record EffectiveNode(
    SeiNode declared, SeiNode node, List<UpgradeStatus> onClaim, List<String> setAside) {

  public static final String HOLD = "spec.maintenance.hold";

  public static final String RESET = "spec.dataResetGeneration";

  /**
   * Returns the effective node.
   *
   * @param kept the pod that may not be ended, if that is so
   * @param features what they lay over the spec
   */
  public static EffectiveNode of(
      SeiNode declared,
      Optional<PersistentVolumeClaim> claim,
      Optional<Pod> kept,
      Instant now,
      List<? extends Overlay> features) {
    List<UpgradeStatus> onClaim = AppliedUpgrades.onClaim(claim);
    SeiNodeStatus status =
        declared.getStatus() == null ? SeiNodeStatus.empty() : declared.getStatus();
    Optional<Pod> lasting = kept.filter(pod -> !PodFacts.isTerminating(pod));
    SeiNodeSpec effective = declared.getSpec();
    for (Overlay overlay : overlays(declared, claim, onClaim, now, features)) {
      effective = overlay.overlay(effective, status, lasting);
    }
    SeiNodeSpec spec = effective;
    List<String> setAside = setAside(declared.getSpec(), spec);
    if (spec.equals(declared.getSpec())) {
      return new EffectiveNode(declared, declared, onClaim, setAside);
    }
    var node = new SeiNode();
    node.setMetadata(declared.getMetadata());
    node.setSpec(spec);
    node.setStatus(declared.getStatus());
    return new EffectiveNode(declared, node, onClaim, setAside);
  }

  private static List<String> setAside(SeiNodeSpec declared, SeiNodeSpec effective) {
    var fields = new ArrayList<String>();
    if (declared.holding().isPresent() != effective.holding().isPresent()) {
      fields.add(HOLD);
    }
    if (!Objects.equals(declared.dataResetGeneration(), effective.dataResetGeneration())) {
      fields.add(RESET);
    }
    return List.copyOf(fields);
  }

  static List<Overlay> overlays(
      SeiNode declared,
      Optional<PersistentVolumeClaim> claim,
      List<UpgradeStatus> onClaim,
      Instant now,
      List<? extends Overlay> features) {
    boolean stopped = SnapshotStop.of(declared, now).isPresent();
    Stream<Overlay> core =
        Stream.of(
            (spec, status, kept) -> AppliedUpgrades.of(status, claim, onClaim).effective(spec),
            (spec, status, kept) -> RestoredVolume.effective(spec, status, claim),
            (spec, status, kept) ->
                kept.isPresent() ? spec.withPaused(null) : stopped ? spec.withPaused(true) : spec);
    return Stream.concat(core, features.stream()).toList();
  }
}
