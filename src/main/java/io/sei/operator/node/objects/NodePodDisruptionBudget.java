package io.sei.operator.node.objects;

import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Ownership;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.Next;
import java.util.function.Function;

/**
 * PodDisruptionBudget of a pod that must not be evicted: its data would be lost with it, or a
 * person works in it. The budget of its fleet leaves such a pod out, since the API server refuses
 * to evict a pod with two budgets.
 */
public record NodePodDisruptionBudget(
    KubeApi api,
    NodeCaches caches,
    OwnedObjectSync owned,
    Function<SeiNode, PodDisruptionBudget> renderer)
    implements NodeFeature {

  /** Creates or deletes the budget, as the node needs it. */
  @Override
  public Next protect(NodePass pass) {
    boolean inUse = pass.view().isHeld();
    pass.refusals().run(() -> sync(pass, inUse));
    return Next.goOn();
  }

  private void sync(NodePass reconcile, boolean inUse) {
    if (inUse || reconcile.view().isKept()) {
      if (owned.sync(reconcile, renderer, NodeCaches::budget) instanceof TaskOutcome.Wait wait) {
        reconcile.recheckAfter(wait.recheck());
      }
      return;
    }
    caches
        .budget(reconcile.node())
        .filter(budget -> !budget.isMarkedForDeletion())
        .filter(budget -> Ownership.isOurs(budget, reconcile.node()))
        .ifPresent(budget -> api.delete(budget, Propagation.BACKGROUND, false));
  }
}
