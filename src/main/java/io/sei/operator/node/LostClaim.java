package io.sei.operator.node;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.resources.DataClaim;
import java.time.Duration;

/**
 * Has a node whose claim was deleted start over with a new one. A node with a signing key does not:
 * with its claim went the record of what it has signed, so somebody has to decide.
 */
public record LostClaim(DataClaim dataClaim) {

  /**
   * Forgets what was done on a volume that is gone.
   *
   * @return whether it did, so that nothing else may be decided now
   */
  boolean recover(NodeReconcile reconcile) {
    boolean lost =
        reconcile.snapshot().hasLostItsClaim()
            && !reconcile.snapshot().hasSigningKey()
            && dataClaim.read(reconcile).isEmpty();
    if (lost) {
      reconcile.update(LostClaim::startingOver);
      reconcile.recheckAfter(Duration.ZERO);
    }
    return lost;
  }

  private static SeiNodeStatus startingOver(SeiNodeStatus status) {
    return SeiNodeStatus.empty()
        .with(
            it ->
                it.phase(NodePhase.PENDING)
                    .conditions(status.conditions())
                    .statefulSet(status.statefulSet())
                    .replacing(status.replacing())
                    .podBaseline(status.podBaseline())
                    .planHistory(status.planHistory())
                    .explain(status.explain()));
  }
}
