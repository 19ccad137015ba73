package io.sei.operator.node;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.base.Kept;
import io.sei.operator.base.Memory;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The steps within a plan that are not written at once. Every task can be run again without doing
 * anything twice, the sidecar's by being looked up under its id, so that a task was done may be
 * written together with the next thing that is news: until then it is kept here, for the next
 * reconcile of the same version to go on from. A step that nothing follows soon is written all the
 * same.
 */
public final class UnwrittenSteps {

  /** An observer sees where a plan stands this late at worst. */
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(3);

  private record Steps(String resourceVersion, SeiNodeStatus status, Instant since) {}

  private final Clock clock;
  private final Kept<ResourceID, Steps> steps;

  /**
   * @param clock for ages; never set back or forth
   */
  public UnwrittenSteps(Memory<ResourceID> memory, Clock clock) {
    this.steps = memory.compartment();
    this.clock = clock;
  }

  /** The same observation with the steps of the last reconcile, if the node is as it was then. */
  NodeSnapshot resume(NodeSnapshot observed) {
    return steps
        .get(ResourceID.fromResource(observed.node()))
        .filter(last -> last.resourceVersion().equals(version(observed)))
        .map(last -> observed.withStatus(last.status()))
        .orElse(observed);
  }

  /** How long the status that a reconcile came to may stay unwritten; empty to write it now. */
  Optional<Duration> delay(NodeReconcile reconcile) {
    ResourceID node = ResourceID.fromResource(reconcile.node());
    Optional<Steps> last = steps.get(node);
    steps.remove(node);
    if (!isStepOnly(NodeSnapshot.statusOf(reconcile.node()), reconcile.status())) {
      return Optional.empty();
    }
    Instant now = clock.instant();
    Instant since = last.map(Steps::since).orElse(now);
    Duration left = Duration.between(now, since.plus(LONGEST_DELAY));
    if (left.isNegative() || left.isZero()) {
      return Optional.empty();
    }
    steps.put(node, new Steps(version(reconcile.snapshot()), reconcile.status(), since));
    return Optional.of(left);
  }

  private static String version(NodeSnapshot snapshot) {
    return snapshot.node().getMetadata().getResourceVersion();
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
    List<PlannedTask> tasks =
        status.plan().tasks().stream().map(UnwrittenSteps::withoutStep).toList();
    return status.with(
        it ->
            it.plan(status.plan().withTasks(tasks))
                .currentImage(null)
                .currentSidecarImage(null)
                .podSpecHash(null)
                .podBaseHash(null));
  }

  private static PlannedTask withoutStep(PlannedTask task) {
    return task.with(
        it -> it.status(null).startedAt(null).submittedAt(null).reason(null).message(null));
  }
}
