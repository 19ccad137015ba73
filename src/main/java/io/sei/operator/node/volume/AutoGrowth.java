package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.DataVolume.Storage.AutoGrow;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodePass;
import java.util.Optional;

/**
 * Decides that a volume grows by itself: seid has died because it had no room left, or Prometheus
 * reports that it soon has none. Nothing is recorded: the claim has the size that it asks for, and
 * since when.
 */
public final class AutoGrowth {

  private final UsagePoller poller;

  /** Nodes whose volume the last pass found full. */
  private final PerObjectMap<ResourceID, Boolean> full;

  public AutoGrowth(UsagePoller poller, PerObjectState<ResourceID> memory) {
    this.poller = poller;
    this.full = memory.newMap();
  }

  /** Notes the volume that the node has, whose use is asked for. */
  void observe(NodePass pass) {
    poller.observe(pass);
  }

  /**
   * Notes how full the volume is, by which the next pass acts: a volume is full if seid has died
   * because it had no room left, and is not Ready again. A crash loop counts for ten minutes more.
   */
  void observe(NodePass pass, Optional<Finding> finding) {
    observe(pass);
    boolean isFull =
        finding.filter(any -> any.reason() == StallReason.DISK_FULL).isPresent()
            && pass.view().livePod().filter(PodFacts::isReady).isEmpty();
    if (isFull && !isFull(pass)) {
      pass.recheckAfter(Recheck.RACE);
    }
    if (isFull) {
      full.put(ResourceID.fromResource(pass.node()), true);
    } else {
      full.remove(ResourceID.fromResource(pass.node()));
    }
    if (pass.view().claim().flatMap(claim -> decision(pass, claim)).orElse(null)
        instanceof GrowthDecision.Later later) {
      pass.recheckAfter(later.after());
    }
  }

  /** Returns whether the last pass found the volume full. */
  boolean isFull(NodePass pass) {
    return full.get(ResourceID.fromResource(pass.node())).isPresent();
  }

  /** The size of a claim that has yet to ask for it; empty if it asks for the right one. */
  Optional<VolumeSize> toRequest(NodePass pass, PersistentVolumeClaim claim) {
    Optional<VolumeSize> size = VolumeSize.of(pass.node(), claim);
    return decision(pass, claim).orElse(null) instanceof GrowthDecision.Grow grow
        ? size.map(present -> present.wanting(grow.to()))
        : size.filter(VolumeSize::isToChange);
  }

  /** Decision about a volume; empty if it has room, or does not grow by itself. */
  Optional<GrowthDecision> decision(NodePass pass, PersistentVolumeClaim claim) {
    Optional<AutoGrow> rule = VolumeSize.rule(pass.node());
    if (rule.isEmpty() || !(isFull(pass) || isFilling(pass))) {
      return Optional.empty();
    }
    return VolumeSize.of(pass.node(), claim)
        .map(size -> GrowthDecision.of(rule.get(), size, pass.now()));
  }

  /** Returns whether Prometheus reports that it is as full as the spec lets it become. */
  private boolean isFilling(NodePass pass) {
    return poller.of(pass.node()).filter(usage -> usage.isToGrow(pass.now())).isPresent();
  }

  /** Why it cannot grow ahead of a full disk although it is to; empty if it can, or is not to. */
  Optional<String> blindness(NodePass pass) {
    Optional<AutoGrow> rule = VolumeSize.rule(pass.node());
    if (rule.isEmpty() || rule.get().usedPercent() == null) {
      return Optional.empty();
    }
    return poller.isPossible()
        ? poller.of(pass.node()).flatMap(Usage::silence)
        : Optional.of(
            "the operator has no Prometheus to ask; set its SEI_PROMETHEUS_URL, or"
                + " remove usedPercent");
  }

  /** Returns the last usage of a node's volume by Prometheus. */
  Optional<VolumeUsage> usage(SeiNode node) {
    return poller.of(node).flatMap(Usage::last);
  }

  /** Returns the forecast of when it is full. */
  Outlook outlook(NodePass pass) {
    return poller.of(pass.node()).map(Usage::outlook).orElse(Outlook.CALM);
  }
}
