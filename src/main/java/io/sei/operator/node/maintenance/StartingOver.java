package io.sei.operator.node.maintenance;

import io.sei.operator.api.v1alpha1.DataReset;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.node.model.NodeReconcile;
import java.time.Duration;

/** Forgets what was done on a volume that is gone. */
public final class StartingOver {

  private StartingOver() {}

  /** Has the node start over, with whatever volume it is given. */
  public static void begin(NodeReconcile reconcile) {
    reconcile.update(StartingOver::status);
    reconcile.recheckAfter(Duration.ZERO);
  }

  private static SeiNodeStatus status(SeiNodeStatus status) {
    DataReset reset = status.dataReset();
    return SeiNodeStatus.empty()
        .with(
            it ->
                it.phase(NodePhase.PENDING)
                    .conditions(status.conditions())
                    .statefulSet(status.statefulSet())
                    .replacing(status.replacing())
                    .podBaseline(status.podBaseline())
                    .nodeId(status.nodeId())
                    .planHistory(status.planHistory())
                    .signingPublicKey(status.signingPublicKey())
                    // It is not for the next volume.
                    .dataReset(reset == null ? null : reset.withClaimUid(null))
                    .explain(status.explain()));
  }
}
