package io.sei.operator.node.volume;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.node.model.Deed;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.VolumeRisk;
import io.sei.operator.reconcile.Permit;
import io.sei.operator.render.Names;
import java.util.Optional;

/** Keeps a pod from being ended whose claim is being deleted: it is all that keeps the data. */
public record PodGuard(NodeCaches caches, VolumeWatch volumes) implements NodeFeature {

  @Override
  public Permit may(Deed deed, NodeReconcile reconcile) {
    return switch (deed) {
      case START_POD, RELEASE_SEID -> Permit.yes();
      case UPDATE_POD -> mayEndPod(reconcile);
      case END_POD -> mayEndPodLive(reconcile);
    };
  }

  @Override
  public Optional<String> withoutDeadline(NodeReconcile pass) {
    return pass.waitsFor()
        .filter(NodeReason.DATA_VOLUME_AT_RISK::is)
        .map(any -> "the pod keeps data that is at risk, so it is not replaced");
  }

  /**
   * Asks by what is watched, or live while the watch of the claim is interrupted. For what is done
   * to every node again and again.
   */
  private Permit mayEndPod(NodeReconcile reconcile) {
    return caches.isWatchingClaim(reconcile.node())
        ? answer(volumes.risk(reconcile.node(), reconcile.snapshot().now()))
        : mayEndPodLive(reconcile);
  }

  /** Asks by what is live, for what is seldom done: no watch can be late then. */
  private Permit mayEndPodLive(NodeReconcile reconcile) {
    Permit seen = answer(reconcile.snapshot().risk());
    return seen.isGiven()
        ? answer(
            volumes.liveRisk(
                reconcile.node(), Names.claim(reconcile.node()), reconcile.snapshot().now()))
        : seen;
  }

  private static Permit answer(Optional<VolumeRisk> risk) {
    return risk.filter(it -> !it.accepted())
        .map(it -> Permit.no(NodeReason.DATA_VOLUME_AT_RISK, waits(it), Recheck.BACKSTOP))
        .orElseGet(Permit::yes);
  }

  /** Why the pod is not ended. */
  private static String waits(VolumeRisk risk) {
    return "the pod is not ended, since its data may go with it: " + risk.what();
  }
}
