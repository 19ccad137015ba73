package io.sei.operator.node;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.model.NodeReconcile;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Decides which steps forward within a plan need not be written at once. Every task can be run
 * again without doing anything twice, the sidecar's by being looked up under its id, so that a task
 * was done may be told together with the next thing that is news. A step that nothing follows soon
 * is written all the same.
 */
final class Progress {

  /** An observer sees where a plan stands this late at worst. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final Clock clock;
  private final Map<ResourceID, Instant> unwrittenSince = new ConcurrentHashMap<>();

  Progress(Clock clock) {
    this.clock = clock;
  }

  /** How long the status that a reconcile came to may stay unwritten; empty to write it now. */
  Optional<Duration> patience(NodeReconcile reconcile) {
    ResourceID node = ResourceID.fromResource(reconcile.node());
    if (!isStepOnly(reconcile.snapshot().status(), reconcile.status())) {
      unwrittenSince.remove(node);
      return Optional.empty();
    }
    Instant now = clock.instant();
    Instant since = unwrittenSince.computeIfAbsent(node, key -> now);
    Duration left = Duration.between(now, since.plus(PATIENCE));
    if (left.isNegative() || left.isZero()) {
      unwrittenSince.remove(node);
      return Optional.empty();
    }
    return Optional.of(left);
  }

  /** Forgets a node that is gone. */
  void forget(ResourceID node) {
    unwrittenSince.remove(node);
  }

  /** Whether two statuses differ, and only in how far an active plan's tasks are or have seen. */
  static boolean isStepOnly(SeiNodeStatus before, SeiNodeStatus after) {
    TaskPlan plan = after.plan();
    return plan != null
        && plan.isActive()
        && before.plan() != null
        && !plan.equals(before.plan())
        && withoutSteps(before).equals(withoutSteps(after));
  }

  private static SeiNodeStatus withoutSteps(SeiNodeStatus status) {
    List<PlannedTask> tasks = status.plan().tasks().stream().map(Progress::withoutStep).toList();
    return status.with(
        it ->
            it.plan(status.plan().withTasks(tasks))
                .currentImage(null)
                .currentSidecarImage(null)
                .podSpecHash(null));
  }

  private static PlannedTask withoutStep(PlannedTask task) {
    return task.with(
        it -> it.status(null).startedAt(null).submittedAt(null).reason(null).message(null));
  }
}
