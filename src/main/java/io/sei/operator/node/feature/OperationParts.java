package io.sei.operator.node.feature;

import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.TaskType;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Task types, plan triggers and plan steps of features, in the order of the features. */
public final class OperationParts {

  private final List<TaskType<NodePass, ?>> tasks = new ArrayList<>();
  private final List<SidecarWork> sidecarTasks = new ArrayList<>();
  private final Map<PlanConflict, List<Function<NodeView, Optional<PlanTrigger>>>> triggers =
      new EnumMap<>(PlanConflict.class);
  private final Map<Slot, List<BiFunction<NodeView, PlanShape, Stream<Step>>>> steps =
      new EnumMap<>(Slot.class);

  /** Adds a type of task that the operator carries out. */
  public OperationParts task(TaskType<NodePass, ?> type) {
    tasks.add(type);
    return this;
  }

  /** Adds a type of task that the node's sidecar carries out. */
  public OperationParts task(SidecarWork type) {
    sidecarTasks.add(type);
    return this;
  }

  /**
   * Adds a reason to start a plan, or to start none; within a rank, the first one counts.
   *
   * @param conflict state of the stored plan, which the new one would replace
   */
  public OperationParts trigger(
      PlanConflict conflict, Function<NodeView, Optional<PlanTrigger>> trigger) {
    triggers.computeIfAbsent(conflict, any -> new ArrayList<>()).add(trigger);
    return this;
  }

  /** Adds a trigger of a plan that may start at once, where it applies. */
  public OperationParts trigger(
      PlanConflict conflict, Predicate<NodeView> applies, Function<NodeView, PlanTrigger> trigger) {
    return trigger(conflict, view -> Optional.of(view).filter(applies).map(trigger));
  }

  /** Adds steps to the plans of a node. */
  public OperationParts steps(Slot slot, BiFunction<NodeView, PlanShape, Stream<Step>> stepsOf) {
    steps.computeIfAbsent(slot, any -> new ArrayList<>()).add(stepsOf);
    return this;
  }

  /** Types of tasks that the operator carries out. */
  public List<TaskType<NodePass, ?>> tasks() {
    return tasks;
  }

  /** Types of tasks that the node's sidecar carries out. */
  public List<SidecarWork> sidecarTasks() {
    return sidecarTasks;
  }

  /** Triggers that apply to a node. */
  public Stream<PlanTrigger> triggers(NodeView view, PlanConflict conflict) {
    return triggers.getOrDefault(conflict, List.of()).stream()
        .flatMap(trigger -> trigger.apply(view).stream());
  }

  /** Steps for one slot of a plan of this shape. */
  public List<Step> steps(NodeView view, PlanShape shape, Slot slot) {
    return steps.getOrDefault(slot, List.of()).stream()
        .flatMap(stepsOf -> stepsOf.apply(view, shape))
        .toList();
  }
}
