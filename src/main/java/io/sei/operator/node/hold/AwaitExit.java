package io.sei.operator.node.hold;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.SidecarWork;
import io.sei.operator.node.feature.Slot;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.PlanTrigger.Rank;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.plan.TaskType;
import io.sei.operator.plan.Traits;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Waits until the run of seid from before mark-not-ready has ended. The sidecar keeps a later run,
 * in that pod or another, from starting.
 */
final class AwaitExit {

  /**
   * The run that is waited for.
   *
   * @param podUid of its pod
   * @param containerID of seid in that pod
   */
  record Run(String podUid, String containerID) {}

  private static final String TYPE = "await-exit";

  /** A backstop: the pod's watch announces the exit. */
  private static final Duration RECHECK = Duration.ofMinutes(1);

  private AwaitExit() {}

  /** Adds the task, the steps that lead to it, and the plans that replace it. */
  static void addTo(OperationParts operations) {
    operations
        .task(
            new TaskType<>(
                TYPE, Run.class, Traits.OF_OPERATOR, (task, run, pass) -> await(run, pass)))
        .task(SidecarWork.of(TaskTypes.MARK_NOT_READY, Traits.HARMLESS))
        .trigger(PlanConflict.ACTIVE, AwaitExit::ofImmediateHold)
        // A held node is given its pod, and nothing else.
        .trigger(
            PlanConflict.NONE,
            view -> view.node().getSpec().holding().map(any -> PlanTrigger.rest(Rank.POD)))
        .steps(Slot.BEFORE_END, (view, shape) -> beforeHold(view));
  }

  private static Optional<PlanTrigger> ofImmediateHold(NodeView view) {
    return isLeft(view.stored().plan()) && isHeld(view, Maintenance.Hold.IMMEDIATE)
        ? Optional.of(
            PlanTrigger.of(
                Rank.POD, view.podPlan(), "spec.maintenance.hold no longer waits for an exit"))
        : Optional.empty();
  }

  private static boolean isHeld(NodeView view, Maintenance.Hold hold) {
    return view.node().getSpec().holding().equals(Optional.of(hold));
  }

  private static Stream<Step> beforeHold(NodeView view) {
    boolean runs =
        isHeld(view, Maintenance.Hold.AFTER_EXIT)
            && view.livePod().filter(pod -> !PodFacts.isIdle(pod)).isPresent();
    return runs
        ? Stream.of(new Step(TaskTypes.MARK_NOT_READY, null), new Step(TYPE, awaited(view)))
        : Stream.empty();
  }

  /**
   * The run that a node's plan waits for: that of the plan before it, if there is one, as the run
   * that there is now may be kept back already.
   */
  static JsonNode awaited(NodeView view) {
    return in(view.stored().plan())
        .map(PlannedTask::params)
        .filter(Objects::nonNull)
        .findFirst()
        .orElseGet(() -> run(view));
  }

  private static ObjectNode run(NodeView view) {
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    view.livePod()
        .ifPresent(
            pod ->
                params
                    .put("podUid", pod.getMetadata().getUid())
                    .put("containerID", PodFacts.containerId(pod, Names.SEID).orElse("")));
    return params;
  }

  /** Whether a plan still waits, or will. */
  static boolean isLeft(TaskPlan plan) {
    return in(plan).anyMatch(task -> task.status() != TaskStatus.COMPLETE);
  }

  private static Stream<PlannedTask> in(TaskPlan plan) {
    return Stream.ofNullable(plan)
        .flatMap(it -> it.tasks().stream())
        .filter(task -> TYPE.equals(task.type()));
  }

  /** Runs the task once. */
  static TaskOutcome await(Run run, NodePass pass) {
    return pass.view().livePod().filter(pod -> isIn(pod, run)).isPresent()
        ? TaskOutcome.waitFor(
            NodeReason.AWAITING_EXIT, "seid runs until it ends by itself", RECHECK)
        : TaskOutcome.done();
  }

  private static boolean isIn(Pod pod, Run run) {
    return pod.getMetadata().getUid().equals(run.podUid())
        && PodFacts.containerId(pod, Names.SEID).orElse("").equals(run.containerID())
        && PodFacts.runs(pod, Names.SEID);
  }
}
