package io.sei.operator.node.volume;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.VolumeRisk;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Names;
import java.util.Optional;

/**
 * Whether a pod of a node may be ended. Whoever is about to delete one, or what it belongs to, asks
 * here first: while the claim is being deleted its pod is all that keeps the data.
 */
public record PodGuard(NodeCaches caches, VolumeWatch volumes) {

  /**
   * Asks by what is watched, or live while the watch of the claim is interrupted. For what is done
   * to every node again and again.
   */
  public TaskOutcome mayEndPod(NodeReconcile reconcile) {
    return caches.isWatchingClaim(reconcile.node())
        ? answer(volumes.risk(reconcile.node(), reconcile.snapshot().now()))
        : mayEndPodLive(reconcile);
  }

  /** Asks by what is live, for what is seldom done: no watch can be late then. */
  public TaskOutcome mayEndPodLive(NodeReconcile reconcile) {
    TaskOutcome seen = answer(reconcile.snapshot().risk());
    return seen.then(
        () ->
            answer(
                volumes.liveRisk(
                    reconcile.node(), Names.claim(reconcile.node()), reconcile.snapshot().now())));
  }

  private static TaskOutcome answer(Optional<VolumeRisk> risk) {
    return risk.filter(it -> !it.accepted())
        .<TaskOutcome>map(
            it -> TaskOutcome.waitFor(NodeReason.DATA_VOLUME_AT_RISK, waits(it), Recheck.BACKSTOP))
        .orElseGet(TaskOutcome::done);
  }

  /** Why the pod is not ended. */
  private static String waits(VolumeRisk risk) {
    return "the pod is not ended, since its data may go with it: " + risk.what();
  }
}
