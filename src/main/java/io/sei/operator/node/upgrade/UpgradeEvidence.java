package io.sei.operator.node.upgrade;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.api.v1alpha1.UpgradeStatusBuilder;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.UpgradeHalt;
import io.sei.operator.node.model.AppliedUpgrades;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.render.Names;
import java.util.Objects;
import java.util.Optional;

/**
 * PURE: whether the next upgrade is due. Only this node's own halt makes it so, on the image that
 * it is to run: never a clock, a height, or another node.
 */
final class UpgradeEvidence {

  private UpgradeEvidence() {}

  /**
   * The upgrade that a node has reached, and that its spec lists with another image than it runs.
   *
   * @param claimUid uid of the claim whose data seid halted on; may be null if it cannot be read
   */
  static Optional<UpgradeStatus> of(NodeSnapshot snapshot, String claimUid) {
    SeiNodeSpec spec = snapshot.node().getSpec();
    AppliedUpgrades applied = snapshot.upgrades();
    return snapshot
        .halt()
        .filter(halt -> snapshot.livePod().filter(pod -> runs(pod, spec)).isPresent())
        .flatMap(
            halt ->
                AppliedUpgrades.listed(spec)
                    .filter(it -> Objects.equals(it.name(), halt.panic().upgrade()))
                    .filter(it -> !applied.has(it.name()) && !it.image().equals(spec.image()))
                    .findFirst()
                    .map(it -> applied(snapshot, it, halt, claimUid)));
  }

  private static boolean runs(Pod pod, SeiNodeSpec spec) {
    return PodFacts.image(pod, Names.SEID).equals(Optional.of(spec.image()));
  }

  private static UpgradeStatus applied(
      NodeSnapshot snapshot, Upgrade listed, UpgradeHalt halt, String claimUid) {
    Long height = halt.panic().height();
    return UpgradeStatusBuilder.builder()
        .name(listed.name())
        .height(height == null ? listed.height() : height)
        .image(listed.image())
        .state(UpgradeState.APPLIED)
        .supersededImage(snapshot.declaredImage())
        .reachedAt(snapshot.now())
        .evidence(halt.line())
        .claimUid(claimUid)
        .build();
  }
}
