package io.sei.operator.node.volume;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.VolumeRisk;
import io.sei.operator.node.objects.ClaimGuard;
import io.sei.operator.node.objects.NodePodDisruptionBudget;
import io.sei.operator.node.objects.OwnedObjectSync;
import io.sei.operator.reconcile.Next;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.Names;
import java.util.Optional;

/**
 * Keeps the data of a node from being deleted, evicted, or mounted by a second node. The end of a
 * pod whose claim is being deleted is vetoed, since only the pod keeps the data.
 */
public final class VolumeProtection implements NodeFeature {

  private final VolumeKeeper keeper;
  private final NodePodDisruptionBudget budget;
  private final NodeCaches caches;
  private final VolumeWatch volumes;
  private final ClaimGuard claims;

  /**
   * @param retains whether the operator was given the right to change PersistentVolumes
   */
  public VolumeProtection(
      KubeApi api, NodeCaches caches, OwnedObjectSync owned, VolumeWatch volumes, boolean retains) {
    this.keeper = new VolumeKeeper(api, node -> caches.anyClaim(node), volumes, retains);
    this.budget = new NodePodDisruptionBudget(api, caches, owned);
    this.caches = caches;
    this.volumes = volumes;
    this.claims = new ClaimGuard(api);
  }

  @Override
  public Next protect(NodePass pass) {
    keeper.retain(pass);
    budget.sync(pass);
    return keeper.rebind(pass);
  }

  @Override
  public Veto veto(IrreversibleAct act, NodePass pass) {
    return switch (act) {
      case START_POD -> claims.check(pass);
      case RELEASE_SEID, INTERRUPT_SEID -> Veto.none();
      case UPDATE_POD -> mayEndPod(pass);
      case END_POD -> mayEndPodLive(pass);
    };
  }

  @Override
  public void conditions(ConditionParts conditions) {
    conditions.record(VolumeProtection::suspendDeadline).event(VolumeKeeper.event());
  }

  private static void suspendDeadline(NodePass pass) {
    if (pass.waitsFor(NodeReason.DATA_VOLUME_AT_RISK)) {
      pass.suspendDeadline("the pod keeps data that is at risk, so it is not replaced");
    }
  }

  /**
   * Asks by what is watched, or live while the watch of the claim is interrupted. For what is done
   * to every node again and again.
   */
  private Veto mayEndPod(NodePass pass) {
    return caches.isWatchingClaim(pass.node())
        ? answer(volumes.risk(pass.node(), pass.view().now()))
        : mayEndPodLive(pass);
  }

  /** Asks by what is live, for what is seldom done: no watch can be late then. */
  private Veto mayEndPodLive(NodePass pass) {
    Veto seen = answer(pass.view().risk());
    return seen.isNone()
        ? answer(volumes.liveRisk(pass.node(), Names.claim(pass.node()), pass.view().now()))
        : seen;
  }

  private static Veto answer(Optional<VolumeRisk> risk) {
    return risk.filter(atRisk -> !atRisk.accepted())
        .map(atRisk -> Veto.of(NodeReason.DATA_VOLUME_AT_RISK, waits(atRisk), Recheck.BACKSTOP))
        .orElseGet(Veto::none);
  }

  /** Why the pod is not ended. */
  private static String waits(VolumeRisk risk) {
    return "the pod is not ended, since its data may go with it: " + risk.what();
  }
}
