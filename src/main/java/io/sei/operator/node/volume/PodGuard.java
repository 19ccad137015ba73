package io.sei.operator.node.volume;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.VolumeRisk;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.Names;
import java.util.Optional;

/** Vetoes the end of a pod whose claim is being deleted, since only the pod keeps the data. */
record PodGuard(NodeCaches caches, VolumeWatch volumes) {

  Veto veto(IrreversibleAct act, NodePass reconcile) {
    return switch (act) {
      case START_POD, RELEASE_SEID -> Veto.none();
      case UPDATE_POD -> mayEndPod(reconcile);
      case END_POD -> mayEndPodLive(reconcile);
    };
  }

  static void suspendDeadline(NodePass pass) {
    if (pass.waitsFor(NodeReason.DATA_VOLUME_AT_RISK)) {
      pass.suspendDeadline("the pod keeps data that is at risk, so it is not replaced");
    }
  }

  /**
   * Asks by what is watched, or live while the watch of the claim is interrupted. For what is done
   * to every node again and again.
   */
  private Veto mayEndPod(NodePass reconcile) {
    return caches.isWatchingClaim(reconcile.node())
        ? answer(volumes.risk(reconcile.node(), reconcile.view().now()))
        : mayEndPodLive(reconcile);
  }

  /** Asks by what is live, for what is seldom done: no watch can be late then. */
  private Veto mayEndPodLive(NodePass reconcile) {
    Veto seen = answer(reconcile.view().risk());
    return seen.isNone()
        ? answer(
            volumes.liveRisk(
                reconcile.node(), Names.claim(reconcile.node()), reconcile.view().now()))
        : seen;
  }

  private static Veto answer(Optional<VolumeRisk> risk) {
    return risk.filter(it -> !it.accepted())
        .map(it -> Veto.of(NodeReason.DATA_VOLUME_AT_RISK, waits(it), Recheck.BACKSTOP))
        .orElseGet(Veto::none);
  }

  /** Why the pod is not ended. */
  private static String waits(VolumeRisk risk) {
    return "the pod is not ended, since its data may go with it: " + risk.what();
  }
}
