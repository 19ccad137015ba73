package io.sei.operator.node;

import io.sei.operator.node.maintenance.StartingOver;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.SigningState;
import io.sei.operator.node.resources.DataClaim;

/**
 * Has a node whose claim was deleted start over with a new one. A node with a signing key does not:
 * with its claim went the record of what it has signed, so somebody has to decide.
 */
record LostClaim(DataClaim dataClaim) {

  /**
   * Forgets what was done on a volume that is gone.
   *
   * @return whether it did, so that nothing else may be decided now
   */
  boolean recover(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    boolean lost =
        snapshot.hasLostItsClaim()
            && SigningState.mayBeLost(snapshot.node().getSpec(), snapshot.status().dataClaimUid())
            && dataClaim.read(reconcile).isEmpty();
    if (lost) {
      StartingOver.begin(reconcile);
    }
    return lost;
  }
}
