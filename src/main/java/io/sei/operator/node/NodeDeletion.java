package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.objects.DataClaim;
import io.sei.operator.reconcile.ApiRejections;
import io.sei.operator.reconcile.Finalization;
import io.sei.operator.render.ClaimRenderer;
import io.sei.operator.render.Names;

/** Deletion of a node. With the Retain policy its data outlives it. */
public record NodeDeletion(
    KubeApi api, DataClaim dataClaim, BackgroundReads reads, EventRecorder events)
    implements Finalization<SeiNode> {

  @Override
  public String finalizer() {
    return ClaimRenderer.FINALIZER;
  }

  @Override
  public boolean isRetained(SeiNode node) {
    return ClaimRenderer.isRetained(node);
  }

  @Override
  public void announce(SeiNode node) {
    if (Names.importedClaim(node).isPresent()) {
      return;
    }
    String claim = Names.claim(node);
    events.record(
        node,
        ClaimRenderer.deletedWith(node).isEmpty()
            ? ObjectEvent.warning(
                "DataRetained",
                "the claim %1$s and the chain data in it outlive the node; a node of the same name uses them again, and kubectl -n %2$s delete pvc %1$s deletes them"
                    .formatted(claim, node.getMetadata().getNamespace()))
            : ObjectEvent.warning(
                "DeletingData",
                "the claim %s and the chain data in it are deleted with the node, unless spec.dataVolume.onDelete is Retain"
                    .formatted(claim)));
  }

  @Override
  public void pause(SeiNode node) {
    reads.pause(ResourceID.fromResource(node));
  }

  @Override
  public void release(SeiNode node, ApiRejections rejections) {
    if (isRetaining(node) && Names.importedClaim(node).isEmpty()) {
      api.get(PersistentVolumeClaim.class, node.getMetadata().getNamespace(), Names.claim(node))
          .ifPresent(claim -> release(node, claim));
    }
  }

  private void release(SeiNode node, PersistentVolumeClaim claim) {
    if (node.getSpec() == null) {
      dataClaim.disown(node, claim);
    } else {
      dataClaim.claimFor(node, claim);
    }
  }
}
