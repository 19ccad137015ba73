package io.sei.operator.node.objects;

import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Ownership;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.DisruptionBudgetRenderer;

/**
 * PodDisruptionBudget of a pod that must not be evicted: its data would be lost with it, or a
 * person works in it. The budget of its fleet leaves such a pod out, since the API server refuses
 * to evict a pod with two budgets.
 */
public record NodePodDisruptionBudget(KubeApi api, NodeCaches caches, OwnedObjectSync owned) {

  /** Creates or deletes the budget, as the node needs it. */
  public void sync(NodePass pass) {
    pass.refusals().run(() -> createOrDelete(pass));
  }

  private void createOrDelete(NodePass pass) {
    if (pass.view().isHeld() || pass.view().isKept()) {
      if (owned.sync(pass, new DisruptionBudgetRenderer()::renderKeeping, NodeCaches::budget)
          instanceof TaskOutcome.Wait wait) {
        pass.recheckAfter(wait.recheck());
      }
      return;
    }
    caches
        .budget(pass.node())
        .filter(budget -> !budget.isMarkedForDeletion())
        .filter(budget -> Ownership.isOurs(budget, pass.node()))
        .ifPresent(budget -> api.delete(budget, Propagation.BACKGROUND, false));
  }
}
