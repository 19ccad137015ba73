package io.sei.operator.node.feature;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.reconcile.EventRule;
import java.util.Optional;
import java.util.function.BiFunction;

/** Event for a condition that is new, or has another status or reason. */
@FunctionalInterface
public interface ConditionEvents {

  /** Returns the Event about a change of the condition, if there is one. */
  Optional<ObjectEvent> event(SeiNodeStatus before, SeiNodeStatus after, Condition now);

  /** A row for a condition that has changed. */
  static EventRule<SeiNodeStatus> on(NodeConditionType type, ConditionEvents news) {
    return EventRule.one(
        (before, after) ->
            changed(type, before, after).flatMap(now -> news.event(before, after, now)));
  }

  /** A row for a condition that has become True, for another reason. */
  static EventRule<SeiNodeStatus> whenTrue(
      NodeConditionType type, BiFunction<String, String, ObjectEvent> event) {
    return on(
        type,
        (before, after, now) ->
            Optional.of(now)
                .filter(Condition::isTrue)
                .map(condition -> event.apply(condition.type(), condition.message())));
  }

  /**
   * Returns a rule for a condition of a volume that is new or has another reason; a new volume that
   * matches its spec has no Event. The Event has the reason's name.
   *
   * @param calm reasons that need no action of a person
   */
  static EventRule<SeiNodeStatus> ofVolume(NodeConditionType type, NodeReason... calm) {
    return EventRule.one(
        (before, after) -> {
          Optional<Condition> was = before.condition(type);
          return after
              .condition(type)
              .filter(now -> !was.map(Condition::reason).equals(Optional.of(now.reason())))
              .filter(now -> !now.isTrue() || was.isPresent())
              .map(
                  now ->
                      now.isFor(calm)
                          ? ObjectEvent.normal("DataVolume" + now.reason(), now.message())
                          : ObjectEvent.warning("DataVolume" + now.reason(), now.message()));
        });
  }

  /** The condition as it is now, if it was there before and its status or reason has changed. */
  private static Optional<Condition> changed(
      NodeConditionType type, SeiNodeStatus before, SeiNodeStatus after) {
    Optional<Condition> was = before.condition(type);
    return after
        .condition(type)
        .filter(
            condition ->
                was.isEmpty()
                    ? condition.isTrue() && type != NodeConditionType.SIDECAR_READY
                    : condition.status() != was.get().status()
                        || !condition.reason().equals(was.get().reason()));
  }
}
