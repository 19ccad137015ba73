package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.node.feature.ClaimPatches;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodDeletion;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Annotations;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Has a node's claim ask for the size that the spec asks for, or for more where the volume grows by
 * itself. Whether a volume can grow is said by the API server, which knows its StorageClass: the
 * operator needs no right to read any. A node that runs is not stalled by a refusal.
 */
public final class ClaimGrowth {

  private final ClaimPatches patches;
  private final MountedGrowth mounted;
  private final AutoGrowth growth;

  /**
   * @param vetoes is asked before a pod is deleted
   */
  public ClaimGrowth(
      KubeApi api,
      NodeCaches caches,
      Vetoes vetoes,
      AutoGrowth growth,
      PerObjectState<ResourceID> memory) {
    this.growth = growth;
    this.mounted = new MountedGrowth(growth, new PodDeletion(api, caches), vetoes);
    this.patches = new ClaimPatches(api, caches, memory);
  }

  /** Ends what keeps a volume from growing, and changes the size of the node's own claim. */
  void keep(NodePass pass) {
    growth.observe(pass);
    resize(pass);
    if (!pass.view().isPaused()) {
      mounted.replace(pass);
    }
  }

  private void resize(NodePass pass) {
    Optional<PersistentVolumeClaim> claim = patches.own(pass);
    Optional<VolumeSize> size = claim.flatMap(own -> growth.toRequest(pass, own));
    if (size.isEmpty()) {
      patches.settled(pass);
      return;
    }
    String patch =
        MetadataPatch.storageRequest(
            claim.get(), size.get().wanted(), Annotations.RESIZED_AT, pass.now().toString());
    patches
        .send(pass, claim.get(), patch, words -> refused(claim.get(), size.get(), words))
        .ifPresent(pass::observed);
    patches
        .refusal(pass)
        .ifPresent(
            message ->
                pass.offer(
                    NodeConditionType.DATA_VOLUME_RESIZED,
                    ConditionProposal.no(NodeReason.RESIZE_REFUSED, message)));
  }

  void conditions(ConditionParts conditions) {
    conditions.report(pass -> growth.observe(pass, pass.finding()));
    gauges(growth::usage).forEach(conditions::gauge);
  }

  /**
   * Gauges of how full volumes are.
   *
   * @param last what is known of a node's volume
   */
  public static List<GaugeRow<SeiNode>> gauges(Function<SeiNode, Optional<VolumeUsage>> last) {
    return List.of(
        GaugeRow.value(
            "sei_node_volume_used_ratio",
            "How much of a node's volume is used, from 0 to 1, as the operator's Prometheus says",
            node -> last.apply(node).map(VolumeUsage::used)),
        GaugeRow.value(
            "sei_node_volume_seconds_until_full",
            "In how many seconds a node's volume is full at the pace of the last six hours; absent"
                + " if it does not fill",
            node -> last.apply(node).flatMap(VolumeUsage::untilFull).map(Duration::toSeconds)));
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
