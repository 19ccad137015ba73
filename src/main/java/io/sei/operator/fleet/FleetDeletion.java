package io.sei.operator.fleet;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.base.Unreadable;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.Retention;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.reconcile.ApiRejections;
import io.sei.operator.reconcile.Finalization;
import io.sei.operator.render.FleetOwner;
import java.util.List;

/** Deletion of a fleet. With the Retain policy its nodes outlive it. */
public record FleetDeletion(
    KubeApi api, FleetCaches caches, List<FleetFeature> features, LostData lostData)
    implements Finalization<SeiNodeDeployment> {

  @Override
  public String finalizer() {
    return FleetOwner.FINALIZER;
  }

  @Override
  public boolean isRetained(SeiNodeDeployment deployment) {
    return FleetOwner.isRetained(deployment);
  }

  @Override
  public void announce(SeiNodeDeployment deployment) {
    lostData.deleted(deployment, caches.list(SeiNode.class, deployment));
  }

  @Override
  public void release(SeiNodeDeployment deployment, ApiRejections rejections) {
    List<SeiNode> nodes = caches.list(SeiNode.class, deployment);
    features.forEach(feature -> feature.release(deployment, nodes, rejections));
    if (isRetaining(deployment)) {
      nodes.forEach(node -> disown(node, deployment));
    }
  }

  private void disown(SeiNode node, SeiNodeDeployment deployment) {
    if (!Unreadable.of(node).isOfSpecOnly()) {
      throw RefusedException.unreadable(node);
    }
    Retention.others(node, deployment)
        .ifPresent(owners -> api.mergePatch(node, MetadataPatch.ownerReferences(node, owners)));
  }
}
