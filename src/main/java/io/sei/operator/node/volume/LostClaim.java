package io.sei.operator.node.volume;

import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.SigningState;
import io.sei.operator.node.feature.StatusReset;
import io.sei.operator.node.objects.DataClaim;
import io.sei.operator.reconcile.Next;
import java.util.function.Predicate;

/**
 * Resets a node whose claim was deleted to a new one. A node with a signing key waits for the user:
 * its claim was the record of its signatures.
 *
 * @param hasData whether the data of the last claim is still on its volume
 */
public record LostClaim(DataClaim dataClaim, Predicate<NodePass> hasData) implements NodeFeature {

  /**
   * Forgets what was done on a volume that is gone. One that is still there is left for its data.
   */
  @Override
  public Next observe(NodePass pass) {
    NodeView view = pass.view();
    if (!view.hasLostItsClaim() || dataClaim.read(pass).isPresent()) {
      return Next.goOn();
    }
    if (hasData.test(pass)) {
      return Next.rest();
    }
    boolean lost = SigningState.mayBeLost(view.node().getSpec(), view.stored().dataClaimUid());
    return lost ? StatusReset.begin(pass) : Next.goOn();
  }
}
