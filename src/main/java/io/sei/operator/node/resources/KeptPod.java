package io.sei.operator.node.resources;

import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Ownership;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.Next;
import java.util.function.Function;

/**
 * The PodDisruptionBudget of a pod that nobody may evict: one that is all that keeps the node's
 * data, or in which somebody works. A fleet's budget leaves such a pod out, for a pod with two
 * budgets cannot be evicted, and the API server calls that an error.
 */
public record KeptPod(
    KubeApi api,
    NodeCaches caches,
    OwnedObjectSync owned,
    Function<SeiNode, PodDisruptionBudget> renderer)
    implements NodeFeature {

  /** Creates or deletes the budget, as the node needs it. */
  @Override
  public Next protect(NodeReconcile pass) {
    boolean inUse = pass.snapshot().isHeld();
    pass.refusals().run(() -> sync(pass, inUse));
    return Next.goOn();
  }

  private void sync(NodeReconcile reconcile, boolean inUse) {
    if (inUse || reconcile.snapshot().isKept()) {
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
