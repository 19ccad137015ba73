package io.sei.operator.node;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.EventType;
import io.sei.operator.kube.OversizedObject;
import io.sei.operator.kube.StatusPatch;
import io.sei.operator.kube.StatusWrites;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.status.NodeEvents;
import io.sei.operator.observability.PlanMetrics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes a node's status, once per reconcile, and tells the world what changed: events and plan
 * metrics come from the difference between the old and the new status, and from nowhere else.
 */
public final class NodeStatusWriter {

  /** Lines kept in {@code status.planHistory}. */
  private static final int HISTORY = 5;

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
    writes.settle(node);
    SeiNodeStatus before = NodeSnapshot.statusOf(node);
    SeiNodeStatus after = settled(before, reached, node.getMetadata().getGeneration(), now);
    if (after.equals(node.getStatus())) {
      return Optional.empty();
    }
    return Optional.of(
        writes.write(
            node,
            after,
            () ->
                OversizedObject.write(node, events, () -> StatusPatch.write(node, after, context)),
            () -> {
              record(node, before, after);
              metrics.observe(before.plan(), reached.plan(), now);
            }));
  }

  /** Forgets a node that is gone. */
  void forget(ResourceID node) {
    writes.forget(node);
  }

  private void record(SeiNode node, SeiNodeStatus before, SeiNodeStatus after) {
    for (NodeEvents.NodeEvent event : NodeEvents.between(before, after)) {
      events.record(
          node,
          event.warning() ? EventType.WARNING : EventType.NORMAL,
          event.reason(),
          event.message());
    }
  }

  /** The status as it is written: an ended plan moves to the history, and takes its phase along. */
  static SeiNodeStatus settled(
      SeiNodeStatus before, SeiNodeStatus reached, Long generation, Instant now) {
    SeiNodeStatus after = reached.withObservedGeneration(generation);
    TaskPlan plan = reached.plan();
    if (plan != null && !plan.isActive() && !plan.equals(before.plan())) {
      boolean complete = plan.phase() == PlanPhase.COMPLETE;
      NodePhase phase = complete ? plan.targetPhase() : plan.failedPhase();
      after =
          after.with(
              it ->
                  it.plan(complete ? null : plan)
                      .phase(phase == null ? reached.phase() : phase)
                      .planHistory(history(reached, plan)));
    }
    return after.phase() == before.phase() ? after : after.withPhaseTransitionTime(now);
  }

  private static List<String> history(SeiNodeStatus status, TaskPlan plan) {
    var lines =
        new ArrayList<>(status.planHistory() == null ? List.<String>of() : status.planHistory());
    lines.add(line(plan));
    return List.copyOf(lines.subList(Math.max(0, lines.size() - HISTORY), lines.size()));
  }

  private static String line(TaskPlan plan) {
    Instant start = plan.startedAt() == null ? plan.finishedAt() : plan.startedAt();
    String verdict =
        plan.phase() == PlanPhase.COMPLETE ? "Complete" : "Failed: " + NodeEvents.failure(plan);
    return "%s %s to %s after %ds: %s"
        .formatted(
            plan.finishedAt(),
            plan.kind(),
            plan.target().image(),
            Duration.between(start, plan.finishedAt()).toSeconds(),
            verdict);
  }
}
