package io.sei.operator.fleet;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.kube.ObjectEvent.warning;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.reconcile.EventRule;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Derives events from the difference between two statuses of a deployment. */
public final class FleetEvents {

  /** The Events that come first. */
  private static final List<EventRule<SeiNodeDeploymentStatus>> FIRST =
      List.of(
          FleetEvents::nodes,
          FleetEvents::rollout,
          EventRule.one(FleetEvents::paused),
          EventRule.one(FleetEvents::stalled));

  /** The Events after those of features. */
  private static final List<EventRule<SeiNodeDeploymentStatus>> LAST =
      List.of(
          troubles(FleetConditionType.READY, FleetReason.CHILD_CONFLICT),
          troubles(
              FleetConditionType.UP_TO_DATE,
              StallReason.INVALID_SPEC,
              FleetReason.SERVICE_CONFLICT));

  private FleetEvents() {}

  /** Returns the Events between two consecutive statuses. */
  public static List<ObjectEvent> between(
      SeiNodeDeploymentStatus before,
      SeiNodeDeploymentStatus after,
      FleetConditionParts conditions) {
    return Stream.of(FIRST, conditions.events(), LAST)
        .flatMap(table -> EventRule.told(table, before, after).stream())
        .toList();
  }

  private static EventRule<SeiNodeDeploymentStatus> troubles(
      FleetConditionType type, Reason... reasons) {
    return EventRule.one(
        (before, after) ->
            Conditions.changed(before.conditions(), after.conditions(), type)
                .filter(condition -> condition.isFor(reasons))
                .map(condition -> warning(condition.reason(), condition.message())));
  }

  private static Stream<ObjectEvent> nodes(
      SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after) {
    List<String> old = orEmpty(before.incumbentNodes());
    List<String> now = orEmpty(after.incumbentNodes());
    return Stream.concat(
        now.stream()
            .filter(name -> !old.contains(name))
            .map(name -> normal("SeiNodeCreated", "created SeiNode " + name)),
        old.stream()
            .filter(name -> !now.contains(name))
            .map(name -> normal("SeiNodeDeleted", "deleted SeiNode " + name)));
  }

  private static Stream<ObjectEvent> rollout(
      SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after) {
    var events = Stream.<ObjectEvent>builder();
    Rollout old = before.rollout();
    Rollout now = after.rollout();
    boolean failed =
        after.failedTemplateHash() != null
            && !after.failedTemplateHash().equals(before.failedTemplateHash());
    String message = message(FleetConditionType.ROLLOUT_IN_PROGRESS, after);
    if (failed) {
      events.add(warning("RollingBack", message));
    }
    if (now != null && old == null) {
      boolean isResumed = before.pausedRollout() != null && now.configuration() == null;
      events.add(normal(isResumed ? "RolloutResumed" : "RolloutStarted", message));
    } else if (now != null && !failed && isOfAnother(now, old)) {
      events.add(normal("RolloutSuperseded", message));
    } else if (now == null && old != null && old.configuration() != null) {
      if (is(FleetReason.ROLLOUT_COMPLETE, after)) {
        events.add(normal("RolloutComplete", message));
      }
    } else if (now == null && old != null && after.pausedRollout() == null) {
      boolean restarted = is(FleetReason.TEMPLATE_CHANGED, before);
      boolean back = after.failedTemplateHash() != null && !restarted;
      events.add(normal(back ? "RolledBack" : "RolloutComplete", message));
    }
    return events.build();
  }

  private static boolean isOfAnother(Rollout now, Rollout old) {
    return !now.targetHash().equals(old.targetHash())
        || !Objects.equals(now.configuration(), old.configuration());
  }

  private static boolean is(FleetReason reason, SeiNodeDeploymentStatus status) {
    return status
        .condition(FleetConditionType.ROLLOUT_IN_PROGRESS)
        .filter(condition -> condition.isFor(reason))
        .isPresent();
  }

  private static Optional<ObjectEvent> paused(
      SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after) {
    boolean known = before.condition(FleetConditionType.PAUSED).isPresent();
    return Conditions.changed(before.conditions(), after.conditions(), FleetConditionType.PAUSED)
        .filter(paused -> !paused.isFor(FleetReason.PAUSING))
        .filter(paused -> paused.isTrue() || known)
        .map(paused -> normal(paused.isTrue() ? "Paused" : "Unpaused", paused.message()));
  }

  private static Optional<ObjectEvent> stalled(
      SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after) {
    boolean was =
        before
            .condition(FleetConditionType.STALLED)
            .filter(condition -> condition.isTrue() || condition.isFor(FleetReason.RECOVERING))
            .isPresent();
    boolean isStopped =
        after
            .condition(FleetConditionType.NODES_READY)
            .filter(condition -> condition.isFor(FleetReason.PAUSED))
            .isPresent();
    return Conditions.changed(before.conditions(), after.conditions(), FleetConditionType.STALLED)
        // These are Events by themselves.
        .filter(stalled -> !stalled.isFor(StallReason.INVALID_SPEC, StallReason.ROLLED_BACK))
        .filter(
            stalled ->
                stalled.isTrue() || (was && !isStopped && stalled.isFor(FleetReason.NOT_STALLED)))
        .map(
            stalled ->
                stalled.isTrue()
                    ? warning("Stalled", stalled.reason() + ": " + stalled.message())
                    : normal("Recovered", "no node is stalled"));
  }

  private static String message(FleetConditionType type, SeiNodeDeploymentStatus status) {
    return status.condition(type).map(Condition::message).orElse("");
  }

  private static List<String> orEmpty(List<String> names) {
    return names == null ? List.of() : names;
  }
}
