package io.sei.operator.node.peers;

import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import java.util.List;

/** Records which peers were found. */
public record ResolvedPeers() implements NodeFeature {

  /**
   * Not while a plan is active: peers that come one after the other would be written one by one.
   */
  @Override
  public void record(NodeReconcile reconcile) {
    TaskPlan plan = reconcile.status().plan();
    if (plan == null || !plan.isActive()) {
      List<String> addresses = reconcile.snapshot().peers().addresses();
      reconcile.update(status -> status.withResolvedPeers(addresses.isEmpty() ? null : addresses));
    }
  }
}
