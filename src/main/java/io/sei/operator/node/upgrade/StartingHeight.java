package io.sei.operator.node.upgrade;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.ChainState;
import io.sei.operator.node.feature.AppliedUpgrades;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.render.Names;
import java.util.Comparator;
import java.util.Optional;

/**
 * PURE: which upgrades the data of a new volume has been through already, where that can be known
 * before its pod exists: a snapshot in S3 is taken at or below a height that the spec names, and
 * state sync gets the newest state of a chain whose height another node of the namespace has said.
 */
final class StartingHeight {

  private StartingHeight() {}

  /**
   * The record of the last listed upgrade at or below the height that a new node starts at; empty
   * if there is none, or if the node has begun, or has a volume that is not being reset.
   */
  static Optional<UpgradeStatus> of(NodeView view) {
    NodePhase phase = view.stored().phase();
    boolean hasNoVolume =
        (phase == null || phase == NodePhase.PENDING)
            && view.claim().isEmpty()
            && Names.importedClaim(view.node()).isEmpty();
    boolean isNew =
        (hasNoVolume || view.stored().awaitsNewData())
            && view.stored().plan() == null
            && view.upgrades().records().isEmpty();
    return Optional.of(view.node().getSpec())
        .filter(spec -> isNew)
        .flatMap(SeiNodeSpec::initialSnapshot)
        .flatMap(from -> height(view, from))
        .flatMap(height -> at(view, height));
  }

  /** State sync starts at a block that is some minutes old at most. */
  private static Optional<Long> height(NodeView view, Snapshot from) {
    return from.s3() == null
        ? view.chain().map(ChainState::height)
        : Optional.ofNullable(from.s3().targetHeight());
  }

  private static Optional<UpgradeStatus> at(NodeView view, long height) {
    return AppliedUpgrades.listed(view.node().getSpec())
        .filter(upgrade -> upgrade.height() <= height)
        .max(Comparator.comparing(Upgrade::height))
        .map(
            upgrade ->
                view.reached(upgrade).evidence("the volume starts at height " + height).build());
  }
}
