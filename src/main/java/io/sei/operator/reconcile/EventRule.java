package io.sei.operator.reconcile;

import io.sei.operator.kube.ObjectEvent;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * A row of the table that tells the change from one status to the next in Events.
 *
 * @param <S> the status
 */
@FunctionalInterface
public interface EventRule<S> {

  /** Returns the Events of a change of the status. */
  Stream<ObjectEvent> events(S before, S after);

  /** An Event that needs no attention, if there is a text for it. */
  static <S> EventRule<S> normal(String reason, BiFunction<S, S, Optional<String>> text) {
    return one(
        (before, after) ->
            text.apply(before, after).map(value -> ObjectEvent.normal(reason, value)));
  }

  /** An Event that may need attention, if there is a text for it. */
  static <S> EventRule<S> warning(String reason, BiFunction<S, S, Optional<String>> text) {
    return one(
        (before, after) ->
            text.apply(before, after).map(value -> ObjectEvent.warning(reason, value)));
  }

  /** One Event at most. */
  static <S> EventRule<S> one(BiFunction<S, S, Optional<ObjectEvent>> event) {
    return (before, after) -> event.apply(before, after).stream();
  }

  /** Returns the Events of a table, in its order. */
  static <S> List<ObjectEvent> told(List<EventRule<S>> table, S before, S after) {
    return table.stream().flatMap(rule -> rule.events(before, after)).toList();
  }
}
