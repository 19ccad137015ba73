package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.objects.DataClaim;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.PodParts;
import java.util.List;
import java.util.Optional;

/** Restores and resets the data of a node, and starts over once it is lost. */
public final class DataLifecycle implements NodeFeature {

  private final DataResets resets;
  private final RestoredSource source;
  private final LostClaim lostClaim;

  public DataLifecycle(KubeApi api, DataClaim claims, VolumeWatch volumes) {
    this.resets = new DataResets(claims);
    this.source = new RestoredSource(api);
    this.lostClaim = new LostClaim(claims, volumes);
  }

  @Override
  public Next observe(NodePass pass) {
    return Next.of(pass, List.of(resets::observe, source::observe, lostClaim::observe));
  }

  @Override
  public SeiNodeSpec overlay(SeiNodeSpec spec, SeiNodeStatus status, Optional<Pod> kept) {
    return resets.overlay(spec, status, kept);
  }

  @Override
  public void pod(SeiNode node, PodParts pod) {
    resets.pod(node, pod);
    source.pod(node, pod);
  }

  @Override
  public void operations(OperationParts operations) {
    source.operations(operations);
  }

  @Override
  public void keep(NodePass pass) {
    source.markBad(pass);
  }

  @Override
  public void conditions(ConditionParts conditions) {
    resets.conditions(conditions);
  }
}
