package io.sei.operator.node.volume;

import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.objects.ClaimGuard;
import io.sei.operator.node.objects.NodePodDisruptionBudget;
import io.sei.operator.node.objects.OwnedObjectSync;
import io.sei.operator.reconcile.Next;
import io.sei.operator.reconcile.Veto;

/** Keeps the data of a node from being deleted, evicted, or mounted by a second node. */
public final class VolumeProtection implements NodeFeature {

  private final VolumeKeeper keeper;
  private final NodePodDisruptionBudget budget;
  private final VolumeRebinding rebinding;
  private final PodGuard pods;
  private final ClaimGuard claims;

  /**
   * @param retains whether the operator was given the right to change PersistentVolumes
   */
  public VolumeProtection(
      KubeApi api, NodeCaches caches, OwnedObjectSync owned, VolumeWatch volumes, boolean retains) {
    this.keeper = new VolumeKeeper(api, node -> caches.anyClaim(node), volumes, retains);
    this.budget = new NodePodDisruptionBudget(api, caches, owned);
    this.rebinding = new VolumeRebinding(api, keeper);
    this.pods = new PodGuard(caches, volumes);
    this.claims = new ClaimGuard(api);
  }

  @Override
  public Next protect(NodePass pass) {
    keeper.protect(pass);
    budget.sync(pass);
    return rebinding.protect(pass);
  }

  @Override
  public Veto veto(IrreversibleAct act, NodePass pass) {
    return act == IrreversibleAct.START_POD ? claims.check(pass) : pods.veto(act, pass);
  }

  @Override
  public void conditions(ConditionParts conditions) {
    conditions.record(PodGuard::suspendDeadline).event(VolumeRebinding.event());
  }
}
