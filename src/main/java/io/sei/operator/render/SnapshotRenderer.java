package io.sei.operator.render;

import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotBuilder;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Run;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import java.util.Map;
import java.util.TreeMap;

/** Renders the snapshot of a node's volume. It has no owner, since it outlives its fleet. */
public final class SnapshotRenderer {

  private SnapshotRenderer() {}

  /**
   * The labels by which a fleet's snapshots are found, and distinguished from those that others
   * made of its volumes.
   */
  public static Map<String, String> labels(SeiNodeDeployment fleet) {
    return Map.of(
        Labels.NODE_DEPLOYMENT, fleet.getMetadata().getName(), Labels.MANAGED_BY, Labels.OPERATOR);
  }

  /** The snapshot of a run, of the volume that its node has. */
  public static VolumeSnapshot render(
      SeiNodeDeployment fleet, SeiNode node, Run run, String volumeSnapshotClass) {
    var labels = new TreeMap<>(labels(fleet));
    labels.put(Labels.NODE, run.node());
    labels.put(Labels.CHAIN, node.getSpec().chainId());
    if (run.height() != null) {
      labels.put(Labels.HEIGHT, String.valueOf(run.height()));
    }
    return new VolumeSnapshotBuilder()
        .withNewMetadata()
        .withName(run.snapshot())
        .withNamespace(fleet.getMetadata().getNamespace())
        .withLabels(labels)
        .addToAnnotations(Annotations.IMAGE, node.getStatus().currentImage())
        .endMetadata()
        .withNewSpec()
        .withVolumeSnapshotClassName(volumeSnapshotClass)
        .withNewSource()
        .withPersistentVolumeClaimName(Names.importedClaim(node).orElseGet(() -> Names.claim(node)))
        .endSource()
        .endSpec()
        .build();
  }
}
