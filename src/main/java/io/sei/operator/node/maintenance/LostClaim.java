package io.sei.operator.node.maintenance;

import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.SigningState;
import io.sei.operator.node.model.StartingOver;
import io.sei.operator.node.resources.DataClaim;
import io.sei.operator.reconcile.Next;
import java.util.function.Predicate;

/**
 * Has a node whose claim was deleted start over with a new one. A node with a signing key does not:
 * with its claim went the record of what it has signed, so somebody has to decide.
 *
 * @param hasData whether the data of the last claim is still on its volume
 */
public record LostClaim(DataClaim dataClaim, Predicate<NodeReconcile> hasData)
    implements NodeFeature {

  /**
   * Forgets what was done on a volume that is gone. One that is still there is left for its data.
   */
  @Override
  public Next settle(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    if (!snapshot.hasLostItsClaim() || dataClaim.read(reconcile).isPresent()) {
      return Next.goOn();
    }
    if (hasData.test(reconcile)) {
      return Next.rest();
    }
    boolean lost =
        SigningState.mayBeLost(snapshot.node().getSpec(), snapshot.status().dataClaimUid());
    return lost ? StartingOver.begin(reconcile) : Next.goOn();
  }
}
