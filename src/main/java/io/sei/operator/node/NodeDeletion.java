package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.resources.DataClaim;
import io.sei.operator.render.ClaimRenderer;
import io.sei.operator.render.Names;

/**
 * The finalizer of a node, and what it is for: data that outlives its node must have lost its owner
 * before the node goes. Everything else is collected through owner references, so only a node with
 * the Retain policy needs the finalizer.
 */
public record NodeDeletion(KubeApi api, DataClaim dataClaim, EventRecorder events) {

  /** The Go operator's finalizer: it is removed here from nodes that come from there. */
  public static final String FINALIZER = "sei.io/seinode-finalizer";

  /** Says which claim goes with a node that somebody deletes, as long as its data is there. */
  public void announce(SeiNode node) {
    if (!node.hasFinalizer(KubeApi.ORPHAN)) {
      ClaimRenderer.deletedWith(node)
          .ifPresent(
              claim ->
                  events.record(
                      node,
                      ObjectEvent.warning(
                          "DeletingData",
                          "the claim %s and the chain data in it are deleted with the node, unless"
                                  .formatted(claim)
                              + " spec.dataVolume.onDelete is Retain")));
    }
  }

  /** Whether the node needs the finalizer and does not have it yet. */
  public boolean needsFinalizer(SeiNode node) {
    return ClaimRenderer.isRetained(node) && !node.hasFinalizer(FINALIZER);
  }

  /** Adds the finalizer. */
  public void addFinalizer(SeiNode node) {
    api.mergePatch(node, MetadataPatch.addFinalizer(node, FINALIZER));
  }

  /** Lets a node go that is being deleted; nothing if that has been done. */
  public void release(SeiNode node) {
    if (!node.hasFinalizer(FINALIZER)) {
      return;
    }
    if (ClaimRenderer.isRetained(node) && Names.importedClaim(node).isEmpty()) {
      api.get(PersistentVolumeClaim.class, node.getMetadata().getNamespace(), Names.claim(node))
          .ifPresent(claim -> dataClaim.claimFor(node, claim));
    }
    api.mergePatch(node, MetadataPatch.removeFinalizer(node, FINALIZER));
  }
}
