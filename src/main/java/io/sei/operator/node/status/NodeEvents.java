package io.sei.operator.node.status;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.kube.ObjectEvent.warning;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.FailedTaskDetail;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PodBaseline;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.feature.ConditionEvents;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.reconcile.EventRule;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Derives events from the difference between two statuses. */
public final class NodeEvents {

  /** The Events of one change in the order they are recorded, before those of features. */
  private static final List<EventRule<SeiNodeStatus>> CORE =
      List.of(
          EventRule.normal("PhaseTransition", NodeEvents::phase),
          EventRule.one(NodeEvents::plan),
          EventRule.one(NodeEvents::statefulSet),
          EventRule.warning("StatefulSetConflict", NodeEvents::conflict),
          ConditionEvents.on(NodeConditionType.STALLED, NodeEvents::stalled),
          ConditionEvents.on(NodeConditionType.SIDECAR_READY, NodeEvents::sidecar),
          ConditionEvents.on(NodeConditionType.PAUSED, (before, after, now) -> paused(now)),
          ConditionEvents.on(
              NodeConditionType.RESTART_PENDING, (before, after, now) -> restartPending(now)),
          EventRule.warning("RolloutRestartIgnored", NodeEvents::rolloutRestart),
          EventRule.warning("InvalidSpec", NodeEvents::invalidSpec),
          EventRule.warning("FieldsNotServed", NodeEvents::unserved));

  private NodeEvents() {}

  /** Returns the Events between two consecutive statuses. */
  public static List<ObjectEvent> between(
      SeiNodeStatus before, SeiNodeStatus after, ConditionParts conditions) {
    return EventRule.told(
        Stream.concat(CORE.stream(), conditions.events().stream()).toList(), before, after);
  }

  /** Why a plan failed, in one sentence. */
  public static String failure(TaskPlan plan) {
    FailedTaskDetail detail = plan.failedTaskDetail();
    return detail == null
        ? "the plan failed"
        : "task " + detail.type() + " failed: " + detail.error();
  }

  private static Optional<ObjectEvent> paused(Condition paused) {
    if (paused.isFor(NodeReason.PAUSING)) {
      return Optional.empty();
    }
    if (paused.isFor(NodeReason.STOPPED_FOR_SNAPSHOT)) {
      return Optional.of(normal(paused.reason(), paused.message()));
    }
    return Optional.of(
        paused.isTrue()
            ? normal("Paused", "the pod is stopped; volume and plan are kept")
            : normal("Unpaused", "the pod is starting again"));
  }

  private static Optional<ObjectEvent> restartPending(Condition now) {
    return now.isTrue() && !now.isFor(NodeReason.ROLLOUT_RESTART_IGNORED)
        ? Optional.of(normal(now.type(), now.message()))
        : Optional.empty();
  }

  /** Each restart that is asked for in this way is answered, and the message has its time. */
  private static Optional<String> rolloutRestart(SeiNodeStatus before, SeiNodeStatus after) {
    Optional<String> said =
        before.condition(NodeConditionType.RESTART_PENDING).map(Condition::message);
    return after
        .condition(NodeConditionType.RESTART_PENDING)
        .filter(now -> now.isFor(NodeReason.ROLLOUT_RESTART_IGNORED))
        .map(Condition::message)
        .filter(message -> !said.equals(Optional.of(message)));
  }

  private static Optional<String> phase(SeiNodeStatus before, SeiNodeStatus after) {
    String from = before.phase() == null ? "none" : before.phase().toString();
    return before.phase() == after.phase() || after.phase() == null
        ? Optional.empty()
        : Optional.of("Phase changed from " + from + " to " + after.phase());
  }

  private static Optional<ObjectEvent> plan(SeiNodeStatus before, SeiNodeStatus after) {
    TaskPlan old = before.plan();
    TaskPlan now = after.plan();
    if (before.phase() != NodePhase.PENDING && after.phase() == NodePhase.PENDING) {
      return Optional.ofNullable(before.phase())
          .map(
              phase ->
                  warning(
                      "ClaimLost",
                      "the claim with the node's data is gone, or was made again on another volume;"
                          + " the node starts over"));
    }
    if (old != null && now == null) {
      // The Event PodUpdated says the same and more.
      return isUpdateInPlace(after.podUpdate(), old)
          ? Optional.empty()
          : Optional.of(normal("PlanComplete", about(old)));
    }
    if (old == null || !old.isActive()) {
      return Optional.empty();
    }
    if (!Objects.equals(old.id(), now.id())) {
      return Optional.of(normal("PlanSuperseded", "superseded by: " + about(now)));
    }
    return now.isFailed() ? Optional.of(warning("PlanFailed", failure(now))) : Optional.empty();
  }

  private static boolean isUpdateInPlace(PodUpdate update, TaskPlan plan) {
    return update != null && update.how() == PodUpdate.How.IN_PLACE && update.isOfPlan(plan);
  }

  private static String about(TaskPlan plan) {
    boolean imageless = plan.target() == null || plan.kind() == PlanKind.CONFIG;
    String target = imageless ? "" : " to image " + plan.target().image();
    return plan.kind() + " plan" + target;
  }

  private static Optional<ObjectEvent> statefulSet(SeiNodeStatus before, SeiNodeStatus after) {
    boolean had = before.statefulSet() != null;
    if (had == (after.statefulSet() != null)) {
      return Optional.empty();
    }
    if (had) {
      return Optional.of(
          after.replacing() != null
              ? warning("StatefulSetReplacing", replacement(before, after))
              : warning("StatefulSetLost", named(before) + " is gone"));
    }
    return Optional.of(
        after.currentImage() != null
            ? normal("StatefulSetRecreated", named(after) + " was created again")
            : normal("StatefulSetTracked", named(after) + " belongs to this node"));
  }

  private static String replacement(SeiNodeStatus before, SeiNodeStatus after) {
    String lost = before.statefulSet().uid();
    return after.replacing().equals(lost)
        ? named(before) + " differs in immutable fields; replacing it, its pod is kept"
        : named(before) + " was deleted and created again by another client; replacing it";
  }

  private static String named(SeiNodeStatus status) {
    return "StatefulSet " + status.statefulSet().name();
  }

  /** A node can be born into a conflict, so the condition need not have been there before. */
  private static Optional<String> conflict(SeiNodeStatus before, SeiNodeStatus after) {
    return ofConflict(after).filter(now -> ofConflict(before).isEmpty()).map(Condition::message);
  }

  private static Optional<Condition> ofConflict(SeiNodeStatus status) {
    return status
        .condition(NodeConditionType.STATEFUL_SET_READY)
        .filter(ready -> ready.isFor(NodeReason.CONFLICT, NodeReason.GO_OPERATOR_RUNS));
  }

  /**
   * A stall also ends where the node is paused or held, halts, or tries another spec; then it has
   * not recovered.
   */
  private static Optional<ObjectEvent> stalled(
      SeiNodeStatus before, SeiNodeStatus after, Condition stalled) {
    if (stalled.isFor(StallReason.INVALID_SPEC)) {
      // That is an Event by itself.
      return Optional.empty();
    }
    if (stalled.isTrue()) {
      return Optional.of(warning("Stalled", stalled.reason() + ": " + stalled.message()));
    }
    boolean was =
        before
            .condition(NodeConditionType.STALLED)
            .filter(condition -> condition.isTrue() || condition.isFor(NodeReason.RECOVERING))
            .isPresent();
    boolean isReady = after.isTrue(NodeConditionType.READY);
    return was && isReady && stalled.isFor(NodeReason.NOT_STALLED)
        ? Optional.of(normal("Recovered", "the node is Ready and no longer stalled"))
        : Optional.empty();
  }

  private static Optional<ObjectEvent> sidecar(
      SeiNodeStatus before, SeiNodeStatus after, Condition ready) {
    // The sidecar of a new pod becomes ready for the first time: nothing was lost.
    boolean asked =
        before
            .condition(NodeConditionType.SIDECAR_READY)
            .filter(was -> !was.isFor(NodeReason.NO_POD, NodeReason.SIDECAR_NOT_PROBED))
            .isPresent();
    if (asked && ready.isTrue()) {
      return Optional.of(normal("SidecarReadinessRestored", ready.message()));
    }
    return asked && ready.isFor(NodeReason.SIDECAR_NOT_READY)
        ? Optional.of(warning("SidecarReadinessLost", ready.message()))
        : Optional.empty();
  }

  /** Once for each message: a spec that is mended in part is invalid for what is left. */
  private static Optional<String> invalidSpec(SeiNodeStatus before, SeiNodeStatus after) {
    Optional<String> said = before.condition(NodeConditionType.READY).map(Condition::message);
    return after
        .condition(NodeConditionType.READY)
        .filter(ready -> ready.isFor(StallReason.INVALID_SPEC))
        .map(Condition::message)
        .filter(message -> !said.equals(Optional.of(message)));
  }

  private static Optional<String> unserved(SeiNodeStatus before, SeiNodeStatus after) {
    return unserved(after)
        .filter(fields -> !unserved(before).equals(Optional.of(fields)))
        .map(
            fields ->
                "set before the node was adopted, and without effect here: "
                    + String.join(", ", fields));
  }

  private static Optional<List<String>> unserved(SeiNodeStatus status) {
    return Optional.ofNullable(status.podBaseline()).map(PodBaseline::unserved);
  }
}
