package io.sei.operator.node.status;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.bootstrap.StateSync;
import io.sei.operator.node.bootstrap.UnknownTasks;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.ProgressDeadline;
import io.sei.operator.render.ServiceUrls;
import java.util.List;
import java.util.Optional;

/** Concludes a node's status from what was observed, done and refused in a reconcile. */
public final class NodeStatus {

  private NodeStatus() {}

  /** Records what was observed of the pod, its sidecar and its peers. */
  public static void record(NodeReconcile reconcile) {
    forgetEarlierPod(reconcile);
    recordPeers(reconcile);
    recordEndpoint(reconcile);
    StateSync.record(reconcile);
    UnknownTasks.forgetOtherImage(reconcile);
  }

  /**
   * Derives everything a user reads.
   *
   * @param finding why the node does not progress, if it does not
   * @param deadline how long it may wait before it counts as stalled
   */
  public static void derive(
      NodeReconcile reconcile, Optional<Finding> finding, ProgressDeadline deadline) {
    NodeConditions.derive(reconcile, finding);
    Stalling.derive(reconcile, finding, deadline);
    reconcile.update(status -> status.withExplain(RestartExplanation.of(reconcile)));
  }

  /**
   * A pod may be replaced, and the record of it lost to a conflict with the edit that asks for the
   * earlier spec again. What ran before is then not what runs, and must not count as done.
   */
  private static void forgetEarlierPod(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    if (snapshot.podDifference().isPresent()
        && snapshot.specHash().equals(reconcile.status().podSpecHash())) {
      reconcile.update(status -> status.withPodSpecHash(null));
    }
  }

  /**
   * Not while a plan is active: peers that come one after the other would be written one by one.
   */
  private static void recordPeers(NodeReconcile reconcile) {
    TaskPlan plan = reconcile.status().plan();
    if (plan == null || !plan.isActive()) {
      List<String> addresses = reconcile.snapshot().peers().addresses();
      reconcile.update(status -> status.withResolvedPeers(addresses.isEmpty() ? null : addresses));
    }
  }

  /** It is made of the node's name and mode, so it stays whatever becomes of the pod. */
  private static void recordEndpoint(NodeReconcile reconcile) {
    if (reconcile.status().phase() == NodePhase.RUNNING) {
      reconcile.update(
          status -> status.withEndpoint(ServiceUrls.ofNode(reconcile.node()).orElse(null)));
    }
  }
}
