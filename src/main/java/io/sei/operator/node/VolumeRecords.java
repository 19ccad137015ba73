package io.sei.operator.node;

import io.sei.operator.node.maintenance.DataResets;
import io.sei.operator.node.maintenance.SigningClaim;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.resources.DataClaim;
import io.sei.operator.node.resources.NodeObjects;
import io.sei.operator.sidecar.SidecarClient;

/** What has to be known and recorded of a node's volume before anything is decided. */
public record VolumeRecords(
    LostStatus lostStatus, LostClaim lostClaim, SigningClaim signingClaim, DataResets resets) {

  /** Puts it together. */
  public static VolumeRecords of(SidecarClient sidecar, NodeObjects objects, DataClaim dataClaim) {
    return new VolumeRecords(
        new LostStatus(sidecar, objects),
        new LostClaim(dataClaim),
        new SigningClaim(dataClaim),
        new DataResets(dataClaim));
  }

  /** Whether nothing else may be decided before the status was written, or for now. */
  boolean areUnsettled(NodeReconcile reconcile) {
    return signingClaim.isUnsettled(reconcile)
        || resets.record(reconcile)
        || lostStatus.recover(reconcile)
        || lostClaim.recover(reconcile);
  }
}
