package io.sei.operator.node.feature;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PodBaseline;
import io.sei.operator.reconcile.Next;
import java.util.Optional;

/** Removes from a status what was done on a volume that is gone. */
public final class StatusReset {

  private StatusReset() {}

  /** Has the node start over, with whatever volume it is given. */
  public static Next begin(NodePass pass) {
    Optional<PodBaseline> baseline =
        Optional.ofNullable(pass.draft().podBaseline())
            .filter(podBaseline -> pass.view().pod().filter(podBaseline::isOf).isPresent());
    pass.update(
        status ->
            status
                .withoutVolume()
                .with(
                    builder ->
                        builder.phase(NodePhase.PENDING).podBaseline(baseline.orElse(null))));
    return Next.writeFirst("claim");
  }
}
