package io.sei.operator.deployment;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import java.util.List;

/**
 * The finalizer of a deployment, and what it is for: nodes that outlive their deployment must have
 * lost their owner before it goes. Only a deployment with the Retain policy needs it.
 */
public final class DeploymentDeletion {

  /** The Go operator's finalizer: it is removed here from deployments that come from there. */
  public static final String FINALIZER = "sei.io/seinodedeployment-finalizer";

  private final KubeApi api;
  private final DeploymentCaches caches;

  public DeploymentDeletion(KubeApi api, DeploymentCaches caches) {
    this.api = api;
    this.caches = caches;
  }

  /** Whether the deployment needs the finalizer and does not have it yet. */
  public boolean needsFinalizer(SeiNodeDeployment deployment) {
    return isRetained(deployment) && !deployment.hasFinalizer(FINALIZER);
  }

  /** Adds the finalizer. */
  public void addFinalizer(SeiNodeDeployment deployment) {
    api.mergePatch(deployment, MetadataPatch.addFinalizer(deployment, FINALIZER));
  }

  /** Lets a deployment go that is being deleted; nothing if that has been done. */
  public void release(SeiNodeDeployment deployment) {
    if (!deployment.hasFinalizer(FINALIZER)) {
      return;
    }
    if (isRetained(deployment)) {
      for (SeiNode node : caches.nodes(deployment)) {
        disown(node, deployment);
      }
    }
    api.mergePatch(deployment, MetadataPatch.removeFinalizer(deployment, FINALIZER));
  }

  private void disown(SeiNode node, SeiNodeDeployment deployment) {
    List<OwnerReference> others =
        node.getMetadata().getOwnerReferences().stream()
            .filter(owner -> !owner.getUid().equals(deployment.getMetadata().getUid()))
            .toList();
    if (others.size() < node.getMetadata().getOwnerReferences().size()) {
      api.mergePatch(node, MetadataPatch.ownerReferences(node, others));
    }
  }

  private static boolean isRetained(SeiNodeDeployment deployment) {
    return deployment.getSpec() != null
        && deployment.getSpec().deletionPolicy() == RetentionPolicy.RETAIN;
  }
}
