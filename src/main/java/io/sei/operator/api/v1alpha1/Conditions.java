package io.sei.operator.api.v1alpha1;

import io.sei.operator.base.Text;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads and updates lists of conditions; a condition, once set, is never removed. */
public final class Conditions {

  /**
   * Length of a message that the API server accepts; it would refuse the whole status for one
   * longer message.
   */
  private static final int MAX_MESSAGE = 32768;

  private Conditions() {}

  /** The condition of a type. */
  public static Optional<Condition> find(List<Condition> conditions, ConditionType type) {
    return conditions == null
        ? Optional.empty()
        : conditions.stream()
            .filter(condition -> condition != null && type.is(condition.type()))
            .findFirst();
  }

  /** Returns the conditions without the one of a type. */
  public static List<Condition> without(List<Condition> conditions, ConditionType type) {
    return conditions.stream().filter(condition -> !type.is(condition.type())).toList();
  }

  /** Returns whether the condition of a type is there and True. */
  public static boolean isTrue(List<Condition> conditions, ConditionType type) {
    return find(conditions, type).map(Condition::isTrue).orElse(false);
  }

  /**
   * The reason that a person must know first, of a node or a fleet: that the spec is invalid, that
   * data is about to be lost, what it is stalled on, why it is not Ready, that it is paused, why it
   * is not up to date, what keeps it from an upgrade ahead; else why it is Ready. While an update
   * or a rollout replaces pods as planned, it is that of UpToDate throughout. Null if nothing is
   * said yet.
   */
  public static String firstReason(List<Condition> conditions) {
    Optional<Condition> ready = find(conditions, NodeConditionType.READY);
    Optional<Condition> upToDate = find(conditions, NodeConditionType.UP_TO_DATE);
    Optional<Condition> stalled = find(conditions, NodeConditionType.STALLED);
    Optional<Condition> paused = find(conditions, NodeConditionType.PAUSED);
    Optional<Condition> upgrades = find(conditions, NodeConditionType.UPGRADES_READY);
    Optional<Condition> resized = find(conditions, NodeConditionType.DATA_VOLUME_RESIZED);
    Optional<Condition> modified = find(conditions, NodeConditionType.DATA_VOLUME_MODIFIED);
    Optional<Condition> atRisk =
        find(conditions, NodeConditionType.DATA_VOLUME_AT_RISK).filter(Condition::isTrue);
    return Stream.of(
            upToDate.filter(condition -> condition.isFor(StallReason.INVALID_SPEC)),
            atRisk,
            stalled.filter(Condition::isTrue),
            paused.filter(condition -> condition.isFor(NodeReason.PAUSING)),
            ready.filter(condition -> !condition.isTrue() && !isPartOfUpdate(condition, upToDate)),
            paused.filter(Condition::isTrue),
            upToDate.filter(condition -> !condition.isTrue()),
            upgrades.filter(condition -> !condition.isTrue()),
            resized.filter(
                condition ->
                    condition.isFor(
                        NodeReason.RESIZE_FAILED,
                        NodeReason.RESIZE_REFUSED,
                        NodeReason.CANNOT_SHRINK,
                        NodeReason.STORAGE_CLASS_DIFFERS,
                        NodeReason.CLAIM_IMPORTED)),
            modified.filter(
                condition ->
                    condition.isFor(
                        NodeReason.MODIFY_PENDING,
                        NodeReason.MODIFY_FAILED,
                        NodeReason.MODIFY_REFUSED)),
            ready)
        .flatMap(Optional::stream)
        .map(Condition::reason)
        .findFirst()
        .orElse(null);
  }

  /** Returns whether an update in progress is all that keeps a node or fleet from being Ready. */
  private static boolean isPartOfUpdate(Condition ready, Optional<Condition> upToDate) {
    if (upToDate.isEmpty()) {
      return false;
    }
    return upToDate.get().isFor(NodeReason.PLAN_ACTIVE) && ready.isFor(NodeReason.POD_REPLACING)
        || upToDate.get().isFor(FleetReason.ROLLING_OUT, FleetReason.ROLLED_BACK)
            && (ready.isFor(FleetReason.NODES_INITIALIZING)
                || NodeReason.isOfReplacement(ready.reason()));
  }

  /** A condition as it is now, if it is new or its status or reason is another. */
  public static Optional<Condition> changed(
      List<Condition> before, List<Condition> after, ConditionType type) {
    Optional<Condition> was = find(before, type);
    return find(after, type)
        .filter(
            now ->
                was.isEmpty()
                    || now.status() != was.get().status()
                    || !now.reason().equals(was.get().reason()));
  }

  /**
   * The list with a condition set. {@code lastTransitionTime} moves only when the status does; a
   * condition that says the same as before is left as it is, unless it is said to have begun later
   * than now: what waits for it to have lasted would wait for long.
   */
  public static List<Condition> with(
      List<Condition> conditions,
      ConditionType type,
      ConditionStatus status,
      Reason reason,
      String message,
      Long observedGeneration,
      Instant now) {
    var result = new ArrayList<>(conditions == null ? List.<Condition>of() : conditions);
    result.removeIf(Objects::isNull);
    Optional<Condition> before = find(result, type);
    Instant since =
        before
            .filter(old -> old.status() == status)
            .map(Condition::lastTransitionTime)
            .filter(old -> !old.isAfter(now))
            .orElse(now);
    var condition =
        new Condition(
            type.toString(),
            status,
            observedGeneration,
            since,
            reason.toString(),
            message == null ? null : Text.cut(message, MAX_MESSAGE));
    if (before.isPresent()) {
      result.set(result.indexOf(before.get()), condition);
    } else {
      result.add(condition);
    }
    return List.copyOf(result);
  }
}
