package io.sei.operator.node.upgrade;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
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

/** Records that a node has reached an upgrade, before anything is done about it. */
public final class Upgrades {

  private final KubeApi api;
  private final NodeCaches caches;
  private final DataClaim claims;

  public Upgrades(KubeApi api, NodeCaches caches, DataClaim claims) {
    this.api = api;
    this.caches = caches;
    this.claims = claims;
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
    reconcile.update(status -> status.withUpgrades(applied.status(reconcile.node().getSpec())));
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
