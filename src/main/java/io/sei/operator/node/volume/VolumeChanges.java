package io.sei.operator.node.volume;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.Vetoes;

/** Expands and modifies the volume of a node, and reports what threatens its data. */
public final class VolumeChanges implements NodeFeature {

  private final ClaimGrowth growth;
  private final PinnedVolume pinned;
  private final DataVolumeResized resized;
  private final VolumeAttributes attributes;
  private final DataVolumeAtRisk risk;

  /**
   * @param vetoes of the end of a pod whose file system has to grow
   */
  public VolumeChanges(
      KubeApi api,
      NodeCaches caches,
      Vetoes vetoes,
      VolumeWatch volumes,
      UsagePoller usage,
      PerObjectState<ResourceID> memory) {
    var automatic = new AutoGrowth(usage, memory);
    this.growth = new ClaimGrowth(api, caches, vetoes, automatic, memory);
    this.pinned = new PinnedVolume(volumes);
    this.resized = new DataVolumeResized(automatic);
    this.attributes = new VolumeAttributes(api, caches, memory);
    this.risk = new DataVolumeAtRisk();
  }

  @Override
  public void operations(OperationParts operations) {
    risk.operations(operations);
  }

  @Override
  public void keep(NodePass pass) {
    growth.keep(pass);
    attributes.keep(pass);
  }

  @Override
  public void conditions(ConditionParts conditions) {
    growth.conditions(conditions);
    pinned.conditions(conditions);
    resized.conditions(conditions);
    attributes.conditions(conditions);
    risk.conditions(conditions);
  }
}
