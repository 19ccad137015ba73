package io.sei.operator.node.hold;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.NodeStop;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeidRun;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.feature.ConditionEvents;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.EffectiveNode;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.PutOff;
import io.sei.operator.node.feature.SidecarWork;
import io.sei.operator.node.feature.Slot;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.PlanTrigger.Rank;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.plan.TaskType;
import io.sei.operator.plan.Traits;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Names;
import io.sei.operator.render.PodParts;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * PURE: keeps seid from running while a person works on the node's volume, another process signs
 * with a validator's key, or a VolumeSnapshot is taken. A hold may wait until the run of seid that
 * there is has ended by itself; the sidecar keeps a later run from starting.
 */
public record Hold() implements NodeFeature {

  private static final NodeConditionType TYPE = NodeConditionType.HELD;

  /** Keeps autoscalers from removing the machine on which a person works. */
  private static final String SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict";

  /** The reason replaces WHY, in words that need no quotes. */
  private static final String SCRIPT =
      """
      echo "WHY, seid is not started"
      exec sleep infinity
      """;

  private static final String AWAIT_EXIT = "await-exit";

  /** A backstop: the pod's watch announces the exit. */
  private static final Duration RECHECK = Duration.ofMinutes(1);

  /**
   * A run of seid whose end a plan waits for.
   *
   * @param podUid of its pod
   * @param containerID of seid in that pod
   */
  record Run(String podUid, String containerID) {}

  /** A kept pod stays as it is: a hold neither begins nor ends. */
  @Override
  public SeiNodeSpec overlay(SeiNodeSpec spec, SeiNodeStatus status, Optional<Pod> kept) {
    SeiNodeSpec wanted =
        status.signingElsewhere() != null && spec.validator() != null
            ? spec.withMaintenance(new Maintenance(Maintenance.Hold.IMMEDIATE))
            : spec;
    return kept.map(pod -> wanted.withMaintenance(keeping(pod, wanted))).orElse(wanted);
  }

  private static Maintenance keeping(Pod pod, SeiNodeSpec spec) {
    boolean held = PodFacts.isIdle(pod);
    return held == spec.holding().isPresent()
        ? spec.maintenance()
        : held ? new Maintenance(Maintenance.Hold.IMMEDIATE) : null;
  }

  @Override
  public void pod(SeiNode node, PodParts pod) {
    if (node.getSpec().holding().isPresent()) {
      pod.annotate(SAFE_TO_EVICT, "false");
      // No controller opens the gate, so that the pod is never Ready: the Service of a fleet does
      // not
      // lead to it, that of the node does.
      pod.gate(Names.RELEASED_GATE);
      pod.insteadOfSeid(SCRIPT.replace("WHY", NodeView.holdReason(node.getStatus())));
    }
  }

  @Override
  public void operations(OperationParts operations) {
    operations
        .task(
            new TaskType<>(
                AWAIT_EXIT, Run.class, Traits.OF_OPERATOR, (task, run, pass) -> await(run, pass)))
        .task(SidecarWork.of(TaskTypes.MARK_NOT_READY, Traits.HARMLESS))
        .trigger(
            PlanConflict.ACTIVE,
            view -> isLeft(view.stored().plan()) && isHeld(view, Maintenance.Hold.IMMEDIATE),
            view ->
                PlanTrigger.of(
                    Rank.POD, view.podPlan(), "spec.maintenance.hold no longer waits for an exit"))
        // A held node is given its pod, and nothing else.
        .trigger(
            PlanConflict.NONE,
            view -> view.node().getSpec().holding().isPresent(),
            view -> PlanTrigger.rest(Rank.POD))
        .steps(Slot.BEFORE_END, (view, shape) -> beforeHold(view));
  }

  private static boolean isHeld(NodeView view, Maintenance.Hold hold) {
    return view.node().getSpec().holding().equals(Optional.of(hold));
  }

  private static Stream<Step> beforeHold(NodeView view) {
    boolean runs =
        isHeld(view, Maintenance.Hold.AFTER_EXIT)
            && view.livePod().filter(pod -> !PodFacts.isIdle(pod)).isPresent();
    return runs
        ? Stream.of(new Step(TaskTypes.MARK_NOT_READY, null), new Step(AWAIT_EXIT, awaited(view)))
        : Stream.empty();
  }

  /**
   * The run that a node's plan waits for. A plan before it has recorded that run; the present one
   * may be a later run, which the sidecar keeps from starting.
   */
  static JsonNode awaited(NodeView view) {
    return waitsIn(view.stored().plan())
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

  /** Returns whether a plan has yet to see the run end. */
  static boolean isLeft(TaskPlan plan) {
    return waitsIn(plan).anyMatch(task -> task.status() != TaskStatus.COMPLETE);
  }

  private static Stream<PlannedTask> waitsIn(TaskPlan plan) {
    return Stream.ofNullable(plan)
        .flatMap(planned -> planned.tasks().stream())
        .filter(task -> AWAIT_EXIT.equals(task.type()));
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

  @Override
  public void conditions(ConditionParts conditions) {
    conditions
        .record(Hold::recordStop)
        .record(Hold::suspendDeadline)
        .report(Hold::report)
        .event(ConditionEvents.on(TYPE, (before, after, now) -> event(now)))
        .gauge(
            GaugeRow.whileTrue(
                "sei_node_held",
                "1 if seid is kept from running, by the user or since its key signs elsewhere",
                TYPE));
  }

  /**
   * Records for which VolumeSnapshot the node is stopped, and at which height. A stopped node does
   * not answer, so the height from before its stop is kept. If the node did not answer, the height
   * recorded of its last run is used: it has at least that.
   */
  private static void recordStop(NodePass pass) {
    NodeView view = pass.view();
    Optional<NodeStop> before = Optional.ofNullable(pass.draft().stopped());
    NodeStop stopped =
        view.stop()
            .map(
                stop ->
                    new NodeStop(
                        stop.snapshot(),
                        stop.until(),
                        view.height()
                            .or(
                                () ->
                                    before
                                        .filter(last -> last.snapshot().equals(stop.snapshot()))
                                        .map(NodeStop::height))
                            .or(
                                () ->
                                    Optional.ofNullable(view.stored().seid()).map(SeidRun::height))
                            .orElse(null)))
            .orElse(null);
    pass.update(status -> status.withStopped(stopped));
  }

  /** A healthy seid does not exit. */
  private static void suspendDeadline(NodePass pass) {
    if (pass.waitsFor(NodeReason.AWAITING_EXIT)) {
      pass.suspendDeadline("seid is to be held once it has exited, which has no deadline");
    }
  }

  private static boolean awaitsExit(NodePass pass) {
    return Optional.ofNullable(pass.draft().plan())
        .flatMap(TaskPlan::currentTask)
        .filter(task -> task.waitsFor(NodeReason.AWAITING_EXIT))
        .isPresent();
  }

  private static void report(NodePass pass) {
    boolean asked =
        pass.view().declared().holding().isPresent() || pass.node().getSpec().holding().isPresent();
    if (asked || pass.draft().condition(TYPE).isPresent()) {
      pass.put(TYPE, verdict(pass));
    }
  }

  /** Held means that no process of seid runs: a person works on the volume next. */
  private static ConditionProposal verdict(NodePass pass) {
    NodeView view = pass.view();
    if (pass.node().getSpec().holding().isEmpty()) {
      return view.declared().holding().isPresent()
          ? no(NodeReason.DATA_VOLUME_AT_RISK, PutOff.because(view, EffectiveNode.HOLD))
          : no(NodeReason.NOT_HELD, "spec.maintenance.hold is not set");
    }
    if (view.isIdle()) {
      return yes(
          NodeReason.HELD,
          "seid does not run; pod %s has the volume: kubectl exec"
              .formatted(Names.pod(pass.node())));
    }
    if (awaitsExit(pass)) {
      return no(
          NodeReason.AWAITING_EXIT, "seid runs until it ends by itself, and is not started again");
    }
    return view.isPaused() && view.stop().isEmpty()
        ? no(NodeReason.PAUSED, "spec.paused is true: no pod has the volume")
        : no(NodeReason.HOLDING, "seid may still run; the pod is not replaced yet");
  }

  private static Optional<ObjectEvent> event(Condition held) {
    return held.isFor(NodeReason.HELD, NodeReason.NOT_HELD)
        ? Optional.of(normal(held.isTrue() ? "Held" : "Released", held.message()))
        : Optional.empty();
  }
}
