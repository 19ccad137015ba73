package io.sei.operator.node.growth;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.VolumeGrowth;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.model.NodeReconcile;
import java.util.Optional;

/**
 * PURE: decides that a volume grows by itself: seid has died because it had no room left. The size
 * is recorded first; once that is written, {@link ClaimGrowth} has the claim ask for it.
 */
final class AutoGrowth {

  private AutoGrowth() {}

  /** Records the size that the volume is to have, if it is to grow. */
  static void decide(NodeReconcile pass, Optional<Finding> finding) {
    decision(pass, finding)
        .ifPresent(
            it -> {
              switch (it) {
                case GrowthDecision.Grow grow -> record(pass, grow);
                case GrowthDecision.Later later -> pass.recheckAfter(later.after());
                case GrowthDecision.AtMaximum _, GrowthDecision.Growing _ -> {}
              }
            });
  }

  /** What becomes of the volume; empty if it has room, or does not grow by itself. */
  static Optional<GrowthDecision> decision(NodeReconcile pass, Optional<Finding> finding) {
    return isFull(pass, finding)
        ? VolumeSize.rule(pass.node())
            .flatMap(
                rule ->
                    VolumeSize.of(pass)
                        .map(
                            size ->
                                GrowthDecision.of(
                                    rule,
                                    size,
                                    VolumeSize.last(
                                        pass.status(), pass.snapshot().claim().orElseThrow()),
                                    pass.now())))
        : Optional.empty();
  }

  /**
   * Whether seid has died because it had no room left, and is not Ready again: a crash loop counts
   * for ten minutes more.
   */
  static boolean isFull(NodeReconcile pass, Optional<Finding> finding) {
    return finding.filter(it -> it.reason() == StallReason.DISK_FULL).isPresent()
        && pass.snapshot().livePod().filter(PodFacts::isReady).isEmpty();
  }

  private static void record(NodeReconcile pass, GrowthDecision.Grow grow) {
    PersistentVolumeClaim claim = pass.snapshot().claim().orElseThrow();
    String from = VolumeSize.of(pass).orElseThrow().capacity().toString();
    var growth =
        new VolumeGrowth(
            claim.getMetadata().getUid(), from, grow.to().toString(), pass.now(), null);
    pass.update(status -> status.withVolumeGrowth(growth));
    pass.recheckAfter(Recheck.RACE);
  }
}
