package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.RestoredFrom;
import io.sei.operator.node.maintenance.DataResets;
import io.sei.operator.node.maintenance.SigningClaim;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.RestoredVolume;
import io.sei.operator.node.resources.DataClaim;
import io.sei.operator.node.resources.NodeObjects;
import io.sei.operator.node.volume.ReleasedVolume;
import io.sei.operator.reconcile.Next;
import io.sei.operator.sidecar.SidecarClient;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What has to be known and recorded of a node's volume before anything is decided. */
public record VolumeRecords(
    LostStatus lostStatus, LostClaim lostClaim, SigningClaim signingClaim, DataResets resets) {

  /** Puts it together. */
  public static VolumeRecords of(
      SidecarClient sidecar, NodeObjects objects, DataClaim dataClaim, ReleasedVolume released) {
    return new VolumeRecords(
        new LostStatus(sidecar, objects),
        new LostClaim(dataClaim, released),
        new SigningClaim(dataClaim),
        new DataResets(dataClaim));
  }

  /** Says what has to be written, or known, first. */
  Next settle(NodeReconcile reconcile) {
    return Next.of(
        reconcile,
        List.of(
            signingClaim::settle,
            resets::record,
            VolumeRecords::recordSource,
            lostStatus::recover,
            lostClaim::recover));
  }

  /** What the claim was made from decides what the pod is like. */
  private static Next recordSource(NodeReconcile reconcile) {
    Optional<PersistentVolumeClaim> claim = reconcile.snapshot().claim();
    RestoredFrom from = claim.flatMap(RestoredVolume::of).orElse(null);
    if (claim.isEmpty() || Objects.equals(from, reconcile.status().restoredFrom())) {
      return Next.goOn();
    }
    reconcile.update(status -> status.withRestoredFrom(from));
    return Next.writeFirst("source");
  }
}
