package io.sei.operator.node;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.OversizedObject;
import io.sei.operator.kube.StatusPatch;
import io.sei.operator.kube.StatusWrites;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.status.NodeEvents;
import io.sei.operator.node.status.NodeStatus;
import io.sei.operator.observability.PlanMetrics;
import java.time.Instant;
import java.util.Optional;

/**
 * Writes a node's status, once per reconcile, and tells the world what changed: events and plan
 * metrics come from the difference between the old and the new status, and from nowhere else.
 */
public final class NodeStatusWriter {

  private final EventRecorder events;
  private final PlanMetrics metrics;
  private final StatusWrites<SeiNodeStatus> writes = new StatusWrites<>();

  public NodeStatusWriter(EventRecorder events, PlanMetrics metrics) {
    this.events = events;
    this.metrics = metrics;
  }

  /**
   * Writes the status that a reconcile came to, if it differs from the node's.
   *
   * @return the node as it was written; empty if there was nothing to write
   * @throws io.fabric8.kubernetes.client.KubernetesClientException 409 if the node changed
   *     meanwhile
   */
  public Optional<SeiNode> write(
      SeiNode node, SeiNodeStatus reached, Instant now, Context<SeiNode> context) {
    SeiNodeStatus before = NodeSnapshot.statusOf(node);
    SeiNodeStatus after =
        NodeStatus.concluded(before, reached, node.getMetadata().getGeneration(), now);
    return writes.write(
        node,
        after,
        () -> OversizedObject.write(node, events, () -> StatusPatch.write(node, after, context)),
        () -> {
          NodeEvents.between(before, after).forEach(event -> events.record(node, event));
          metrics.observe(before.plan(), reached.plan(), now);
        });
  }

  /** Forgets a node that is gone. */
  void forget(ResourceID node) {
    writes.forget(node);
  }
}
