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
import io.sei.operator.sidecar.SidecarClient;
import java.time.Duration;
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

  /** Whether nothing else may be decided before the status was written, or for now. */
  boolean areUnsettled(NodeReconcile reconcile) {
    return signingClaim.isUnsettled(reconcile)
        || resets.record(reconcile)
        || recordSource(reconcile)
        || lostStatus.recover(reconcile)
        || lostClaim.recover(reconcile);
  }

  /** What the claim was made from decides what the pod is like. */
  private static boolean recordSource(NodeReconcile reconcile) {
    Optional<PersistentVolumeClaim> claim = reconcile.snapshot().claim();
    RestoredFrom from = claim.flatMap(RestoredVolume::of).orElse(null);
    if (claim.isEmpty() || Objects.equals(from, reconcile.status().restoredFrom())) {
      return false;
    }
    reconcile.update(status -> status.withRestoredFrom(from));
    reconcile.recheckAfter(Duration.ZERO);
    return true;
  }
}
