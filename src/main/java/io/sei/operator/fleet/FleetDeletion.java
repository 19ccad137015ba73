package io.sei.operator.fleet;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.fleet.model.Retention;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.render.FleetOwner;

/**
 * The finalizer of a deployment, and what it is for: what outlives a deployment must have lost its
 * owner before it goes. Only a deployment with the Retain policy needs it.
 */
public record FleetDeletion(
    KubeApi api,
    FleetCaches caches,
    InheritedObjects inherited,
    RevisionStore revisions,
    LostData lostData) {

  /** The Go operator's finalizer: it is removed here from deployments that come from there. */
  public static final String FINALIZER = "sei.io/seinodedeployment-finalizer";

  /** Says which claims go with a deployment that somebody deletes, as long as the data is there. */
  public void announce(SeiNodeDeployment deployment) {
    if (!deployment.hasFinalizer(KubeApi.ORPHAN)) {
      lostData.deleted(deployment, caches.list(SeiNode.class, deployment));
    }
  }

  /** Whether the deployment needs the finalizer and does not have it yet. */
  public boolean needsFinalizer(SeiNodeDeployment deployment) {
    return FleetOwner.isRetained(deployment) && !deployment.hasFinalizer(FINALIZER);
  }

  /** Adds the finalizer. */
  public void addFinalizer(SeiNodeDeployment deployment) {
    api.mergePatch(deployment, MetadataPatch.addFinalizer(deployment, FINALIZER));
  }

  /** Releases a deployment that is being deleted; nothing if that has been done. */
  public void release(SeiNodeDeployment deployment) {
    if (deployment.hasFinalizer(KubeApi.ORPHAN)) {
      revisions.takeOver(deployment, caches.revisions(deployment));
    }
    if (!deployment.hasFinalizer(FINALIZER)) {
      return;
    }
    if (FleetOwner.isRetained(deployment)) {
      for (SeiNode node : caches.list(SeiNode.class, deployment)) {
        Retention.others(node, deployment)
            .ifPresent(it -> api.mergePatch(node, MetadataPatch.ownerReferences(node, it)));
      }
      inherited.release(deployment);
    }
    api.mergePatch(deployment, MetadataPatch.removeFinalizer(deployment, FINALIZER));
  }
}
