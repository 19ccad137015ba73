package io.sei.operator.node;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.EventRecorder.EventType;
import io.sei.operator.kube.StatusPatch;
import io.sei.operator.observability.PlanMetrics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Writes a node's status, once per reconcile, and tells the world what changed: events and plan
 * metrics come from the difference between the old and the new status, and from nowhere else.
 */
public final class NodeStatusWriter {

  /** Lines kept in {@code status.planHistory}. */
  private static final int HISTORY = 5;

  private final EventRecorder events;
  private final PlanMetrics metrics;

  public NodeStatusWriter(EventRecorder events, PlanMetrics metrics) {
    this.events = events;
    this.metrics = metrics;
  }

  /**
   * Writes the status that a reconcile came to, if it differs from the node's.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException 409 if the node changed meanwhile
   */
  public void write(NodeWork work, Context<SeiNode> context) {
    SeiNodeStatus before = work.snapshot().status();
    SeiNodeStatus after = settled(work);
    if (after.equals(work.node().getStatus())) {
      return;
    }
    StatusPatch.write(work.node(), after, context);
    for (NodeEvents.NodeEvent event : NodeEvents.between(before, after)) {
      events.record(
          work.node(),
          event.warning() ? EventType.WARNING : EventType.NORMAL,
          event.reason(),
          event.message());
    }
    metrics.observe(before.plan(), ended(work));
  }

  /** The plan as this reconcile left it, also if it is not kept on status. */
  private static TaskPlan ended(NodeWork work) {
    return work.status().plan();
  }

  /** The status as it is written: an ended plan moves to the history, and takes its phase along. */
  private static SeiNodeStatus settled(NodeWork work) {
    SeiNodeStatus status =
        work.status().withObservedGeneration(work.node().getMetadata().getGeneration());
    TaskPlan plan = status.plan();
    TaskPlan before = work.snapshot().status().plan();
    if (plan == null || plan.isActive() || plan.equals(before)) {
      return stamped(work, status);
    }
    boolean complete = plan.phase() == PlanPhase.COMPLETE;
    NodePhase phase = complete ? plan.targetPhase() : plan.failedPhase();
    SeiNodeStatus ended =
        status.with(
            it ->
                it.plan(complete ? null : plan)
                    .phase(phase == null ? work.status().phase() : phase)
                    .planHistory(history(work.status(), plan)));
    return stamped(work, ended);
  }

  private static SeiNodeStatus stamped(NodeWork work, SeiNodeStatus status) {
    return Objects.equals(status.phase(), work.snapshot().status().phase())
        ? status
        : status.withPhaseTransitionTime(work.snapshot().now());
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
