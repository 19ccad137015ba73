package io.sei.operator.node.upgrade;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.node.model.AppliedUpgrades;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.resources.DataClaim;
import io.sei.operator.render.Annotations;
import java.time.Duration;
import java.util.Optional;

/**
 * Prepares a node for the upgrades ahead, and records that it has reached one, before anything is
 * done about it.
 */
public final class Upgrades {

  private final KubeApi api;
  private final NodeCaches caches;
  private final DataClaim claims;
  private final ImagePulls pulls;

  public Upgrades(KubeApi api, NodeCaches caches, DataClaim claims) {
    this.api = api;
    this.caches = caches;
    this.claims = claims;
    this.pulls = new ImagePulls(api);
  }

  /**
   * Has the images of the upgrades ahead pulled where the node's pod runs. Not while a plan is
   * active, which may move the pod.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if the API server fails
   */
  public void prepare(NodeReconcile reconcile) {
    TaskPlan plan = reconcile.status().plan();
    if (plan == null || !plan.isActive()) {
      pulls.advance(reconcile, Optional.empty());
    }
  }

  /** Forgets a node that is gone. */
  public void forget(ResourceID node) {
    pulls.forget(node);
  }

  /**
   * Records the upgrade that the node has just halted for, on its claim and in the status. From
   * then on its image is the one to run.
   *
   * @return whether there is one, so that the status has to be written first
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if the claim cannot be written
   */
  public boolean record(NodeReconcile reconcile) {
    boolean paused = Boolean.TRUE.equals(reconcile.node().getSpec().upgradesPaused());
    if (paused || reconcile.snapshot().halt().isEmpty()) {
      return false;
    }
    Optional<PersistentVolumeClaim> claim = claims.read(reconcile);
    String claimUid = claim.map(it -> it.getMetadata().getUid()).orElse(null);
    Optional<UpgradeStatus> reached = UpgradeEvidence.of(reconcile.snapshot(), claimUid);
    if (reached.isEmpty()) {
      return false;
    }
    AppliedUpgrades applied = reconcile.snapshot().upgrades().with(reached.get());
    claim.ifPresent(it -> annotate(reconcile, it, applied));
    reconcile.update(
        status -> status.withUpgrades(applied.status(reconcile.node().getSpec(), status)));
    reconcile.recheckAfter(Duration.ZERO);
    return true;
  }

  private void annotate(
      NodeReconcile reconcile, PersistentVolumeClaim claim, AppliedUpgrades applied) {
    String patch =
        MetadataPatch.annotation(claim, Annotations.APPLIED_UPGRADES, applied.annotation());
    PersistentVolumeClaim written = api.mergePatch(claim, patch);
    // An imported claim without our label is not watched.
    if (reconcile.snapshot().claim().isPresent()) {
      caches.remember(written, Optional.of(claim));
    }
  }
}
