package io.sei.operator.node.model;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PodBaseline;
import io.sei.operator.reconcile.Next;
import java.util.Optional;

/** Forgets what was done on a volume that is gone. */
public final class StartingOver {

  private StartingOver() {}

  /** Has the node start over, with whatever volume it is given. */
  public static Next begin(NodeReconcile reconcile) {
    Optional<PodBaseline> baseline =
        Optional.ofNullable(reconcile.status().podBaseline())
            .filter(it -> reconcile.snapshot().pod().filter(it::isOf).isPresent());
    reconcile.update(
        status ->
            status
                .withoutVolume()
                .with(it -> it.phase(NodePhase.PENDING).podBaseline(baseline.orElse(null))));
    return Next.writeFirst("claim");
  }
}
