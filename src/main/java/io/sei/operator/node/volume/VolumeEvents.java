package io.sei.operator.node.volume;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.kube.ObjectEvent.warning;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.feature.ConditionEvents;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.reconcile.EventRule;
import java.util.Optional;

/** Tells what may take a node's data along. */
public record VolumeEvents() implements NodeFeature {

  @Override
  public void conditions(ConditionParts conditions) {
    conditions
        .event(ConditionEvents.whenTrue(NodeConditionType.DATA_VOLUME_PINNED, ObjectEvent::warning))
        .event(
            ConditionEvents.on(
                NodeConditionType.DATA_VOLUME_AT_RISK, (before, after, now) -> atRisk(now)))
        .event(EventRule.normal("ClaimReplaced", VolumeEvents::claimReplaced));
  }

  private static Optional<String> claimReplaced(SeiNodeStatus before, SeiNodeStatus after) {
    return Optional.ofNullable(after.dataVolume())
        .filter(now -> now.hasMovedFrom(before.dataVolume()))
        .map(
            now ->
                "volume %s with the node's data is bound to another claim; the node goes on with it"
                    .formatted(now.name()));
  }

  private static Optional<ObjectEvent> atRisk(Condition risk) {
    boolean released = risk.isFor(NodeReason.DATA_VOLUME_RELEASED);
    return Optional.of(
        risk.isTrue()
            ? warning(released ? "DataVolumeReleased" : "DataVolumeAtRisk", risk.message())
            : normal("DataVolumeNotAtRisk", risk.message()));
  }
}
