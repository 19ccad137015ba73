package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.VolumeGrowth;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodePass;
import java.util.Optional;

/**
 * Decides that a volume grows by itself: seid has died because it had no room left, or Prometheus
 * says that it soon has none. The size is recorded first; once that is written, {@link ClaimGrowth}
 * has the claim ask for it.
 *
 * @param watch knows how full volumes are
 */
record AutoGrowth(UsageWatch watch) {

  /** Records the size that the volume is to have, if it is to grow. */
  void decide(NodePass pass, Optional<Finding> finding) {
    watch.observe(pass);
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
  Optional<GrowthDecision> decision(NodePass pass, Optional<Finding> finding) {
    return isFull(pass, finding) || isFilling(pass)
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
                                        pass.draft(), pass.view().claim().orElseThrow()),
                                    pass.now())))
        : Optional.empty();
  }

  /**
   * Whether seid has died because it had no room left, and is not Ready again: a crash loop counts
   * for ten minutes more.
   */
  static boolean isFull(NodePass pass, Optional<Finding> finding) {
    return finding.filter(it -> it.reason() == StallReason.DISK_FULL).isPresent()
        && pass.view().livePod().filter(PodFacts::isReady).isEmpty();
  }

  /** Whether Prometheus says that it is as full as the spec lets it become. */
  private boolean isFilling(NodePass pass) {
    return watch.of(pass.node()).filter(it -> it.isToGrow(pass.now())).isPresent();
  }

  /** Why it cannot grow ahead of a full disk although it is to; empty if it can, or is not to. */
  Optional<String> blindness(NodePass pass) {
    return VolumeSize.rule(pass.node())
        .filter(it -> it.usedPercent() != null)
        .flatMap(
            it ->
                watch.isPossible()
                    ? watch.of(pass.node()).flatMap(Usage::silence)
                    : Optional.of(
                        "the operator has no Prometheus to ask; set its SEI_PROMETHEUS_URL, or"
                            + " remove usedPercent"));
  }

  /** When it is full. */
  Outlook outlook(NodePass pass) {
    return watch.of(pass.node()).map(Usage::outlook).orElse(Outlook.CALM);
  }

  private static void record(NodePass pass, GrowthDecision.Grow grow) {
    PersistentVolumeClaim claim = pass.view().claim().orElseThrow();
    String from = VolumeSize.of(pass).orElseThrow().capacity().toString();
    var growth =
        new VolumeGrowth(
            claim.getMetadata().getUid(), from, grow.to().toString(), pass.now(), null);
    pass.update(status -> status.withVolumeGrowth(growth));
    pass.recheckAfter(Recheck.RACE);
  }
}
