package io.sei.operator.node.volume;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.kube.ObjectEvent.warning;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.reconcile.EventRule;
import java.util.List;
import java.util.Optional;

/** Says what becomes of the size that a volume is to have. */
public record VolumeGrowth() implements NodeFeature {

  @Override
  public void report(NodeReconcile reconcile, Optional<Finding> finding) {
    DataVolumeResized.derive(reconcile);
  }

  @Override
  public List<EventRule<SeiNodeStatus>> events() {
    return List.of(EventRule.one(VolumeGrowth::resized));
  }

  /** That a volume grows, and what becomes of that; not that a new one has its size. */
  private static Optional<ObjectEvent> resized(SeiNodeStatus before, SeiNodeStatus after) {
    Optional<Condition> was =
        Conditions.find(before.conditions(), NodeConditionType.DATA_VOLUME_RESIZED);
    return Conditions.find(after.conditions(), NodeConditionType.DATA_VOLUME_RESIZED)
        .filter(now -> !was.map(Condition::reason).equals(Optional.of(now.reason())))
        .filter(now -> !now.isTrue() || was.isPresent())
        .map(
            now ->
                now.isFor(
                        NodeReason.RESIZED,
                        NodeReason.RESIZING,
                        NodeReason.FILE_SYSTEM_RESIZE_PENDING)
                    ? normal("DataVolume" + now.reason(), now.message())
                    : warning("DataVolume" + now.reason(), now.message()));
  }
}
