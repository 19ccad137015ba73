package io.sei.operator.fleet.disruption;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlanTargetBuilder;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.RolloutVerdict;
import io.sei.operator.plan.PlanSpec;
import io.sei.operator.plan.Step;
import java.util.List;
import java.util.UUID;

/**
 * The plan by which the status shows how far a rollout is. Nothing runs it: its tasks are complete
 * when the verdict says so.
 */
public final class RolloutPlan {

  /** Type of the task that waits until every node is admitted. */
  public static final String UPDATE_NODE_SPECS = "update-node-specs";

  /** Type of the task that waits until every node is done. */
  public static final String AWAIT_SPEC_UPDATE = "await-spec-update";

  private static final List<String> TASKS = List.of(UPDATE_NODE_SPECS, AWAIT_SPEC_UPDATE);

  private RolloutPlan() {}

  /** A new plan for a rollout. */
  static TaskPlan of(FleetView view, Rollout rollout) {
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    params.put("groupName", view.deployment().getMetadata().getName());
    params.put("namespace", view.deployment().getMetadata().getNamespace());
    ArrayNode names = params.putArray("nodeNames");
    view.fleet().forEach(node -> names.add(node.name()));
    var target =
        PlanTargetBuilder.builder()
            .generation(view.deployment().getMetadata().getGeneration())
            .specHash(rollout.targetHash())
            .image(view.image(rollout.targetHash()).orElse(null))
            .build();
    List<Step> tasks = TASKS.stream().map(type -> new Step(type, params)).toList();
    return new PlanSpec(PlanKind.ROLLOUT, target, tasks, null, null)
        .create(UUID.randomUUID().toString(), view.now());
  }

  /**
   * Returns whether a stored plan is one for a rollout. A rollout that ended before its nodes are
   * done would forget which of them were available, so a last task that is stored as complete is
   * not believed.
   */
  static boolean isFor(TaskPlan plan, Rollout rollout) {
    return plan != null
        && plan.isActive()
        && plan.kind() == PlanKind.ROLLOUT
        && plan.target() != null
        && rollout.targetHash().equals(plan.target().specHash())
        && plan.tasks().stream()
            .map(task -> task == null ? null : task.type())
            .toList()
            .equals(TASKS)
        && plan.tasks().get(1).status() != TaskStatus.COMPLETE;
  }

  /** The plan of the rollout under way as a verdict leaves it. */
  static TaskPlan advanced(FleetView view, RolloutVerdict verdict) {
    TaskPlan plan = view.stored().plan();
    PlannedTask update = advanced(plan.tasks().get(0), verdict.admitted(), view, verdict);
    boolean admitted = update.status() == TaskStatus.COMPLETE;
    PlannedTask await = plan.tasks().get(1);
    PlannedTask awaited = admitted ? advanced(await, verdict.done(), view, verdict) : await;
    boolean complete = awaited.status() == TaskStatus.COMPLETE;
    return plan.with(
        builder ->
            builder
                .tasks(List.of(update, awaited))
                .phase(complete ? PlanPhase.COMPLETE : PlanPhase.ACTIVE)
                .finishedAt(complete ? view.now() : plan.finishedAt()));
  }

  private static PlannedTask advanced(
      PlannedTask task, boolean reached, FleetView view, RolloutVerdict verdict) {
    if (task.status() == TaskStatus.COMPLETE) {
      return task;
    }
    PlannedTask started = task.startedAt() == null ? task.withStartedAt(view.now()) : task;
    if (reached) {
      return started.with(
          builder -> builder.status(TaskStatus.COMPLETE).reason(null).message(null).error(null));
    }
    if (verdict.stalled().isPresent()) {
      FleetNode node = verdict.stalled().get();
      return started
          .withReason(node.stall())
          .withMessage("on hold: " + node.name() + ": " + node.stallMessage());
    }
    return started
        .withReason("RollingOut")
        .withMessage(verdict.obstacleWords().orElseGet(() -> waiting(pending(view))));
  }

  private static String waiting(List<String> pending) {
    return pending.isEmpty()
        ? "waiting until every node has caught up, or has been Ready for long enough"
        : "waiting for " + String.join(", ", pending);
  }

  private static List<String> pending(FleetView view) {
    String target = view.stored().rollout().targetHash();
    return view.fleet().stream()
        .filter(node -> !node.runs(target) || !node.isReady())
        .map(FleetNode::name)
        .toList();
  }
}
