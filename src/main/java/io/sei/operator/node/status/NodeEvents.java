package io.sei.operator.node.status;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.kube.ObjectEvent.warning;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FailedTaskDetail;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.reconcile.EventRule;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** Derives events from the difference between two statuses. */
public final class NodeEvents {

  /** In the order of what is told of one change. */
  private static final List<EventRule<SeiNodeStatus>> CORE =
      List.of(
          EventRule.normal("PhaseTransition", NodeEvents::phase),
          EventRule.one(NodeEvents::plan),
          EventRule.one(NodeEvents::reset),
          EventRule.one(NodeEvents::statefulSet),
          EventRule.warning("StatefulSetConflict", NodeEvents::conflict),
          on(NodeConditionType.STALLED, NodeEvents::stalled),
          on(NodeConditionType.SIDECAR_READY, NodeEvents::sidecar),
          on(NodeConditionType.PAUSED, (before, after, now) -> paused(now)),
          on(NodeConditionType.HELD, (before, after, now) -> held(now)),
          whenTrue(NodeConditionType.RESTART_PENDING, ObjectEvent::normal),
          whenTrue(NodeConditionType.DATA_VOLUME_PINNED, ObjectEvent::warning),
          on(NodeConditionType.DATA_VOLUME_AT_RISK, (before, after, now) -> atRisk(now)),
          (before, after) ->
              KeyConditions.TYPES.stream().flatMap(type -> key(type, before, after).stream()),
          EventRule.warning("SigningKeyChanged", NodeEvents::otherSigningKey),
          EventRule.warning("InvalidSpec", NodeEvents::invalidSpec),
          UpgradeEvents::of,
          EventRule.warning("UpgradeNotListed", NodeEvents::notListed),
          EventRule.warning(StallReason.HALTED_AT_UPGRADE.toString(), NodeEvents::haltedUnlisted),
          EventRule.one(NodeEvents::resized));

  private NodeEvents() {}

  /** What happened between two statuses that follow each other. */
  public static List<ObjectEvent> between(
      SeiNodeStatus before, SeiNodeStatus after, List<NodeFeature> features) {
    Stream<EventRule<SeiNodeStatus>> ofFeatures =
        features.stream().flatMap(it -> it.events().stream());
    return EventRule.told(Stream.concat(CORE.stream(), ofFeatures).toList(), before, after);
  }

  /** What is told of a condition that is new, or has another status or reason. */
  @FunctionalInterface
  private interface OfCondition {
    Optional<ObjectEvent> event(SeiNodeStatus before, SeiNodeStatus after, Condition now);
  }

  private static EventRule<SeiNodeStatus> on(NodeConditionType type, OfCondition rule) {
    return EventRule.one(
        (before, after) ->
            changed(type, before, after).flatMap(now -> rule.event(before, after, now)));
  }

  private static EventRule<SeiNodeStatus> whenTrue(
      NodeConditionType type, BiFunction<String, String, ObjectEvent> event) {
    return on(
        type,
        (before, after, now) ->
            Optional.of(now)
                .filter(Condition::isTrue)
                .map(it -> event.apply(it.type(), it.message())));
  }

  private static Optional<String> otherSigningKey(SeiNodeStatus before, SeiNodeStatus after) {
    return Optional.ofNullable(before.signingPublicKey())
        .filter(key -> after.signingPublicKey() != null && !key.equals(after.signingPublicKey()))
        .map(
            key ->
                "the Secret of the signing key holds another key than before; the next pod"
                    + " signs with it");
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

  private static Optional<ObjectEvent> held(Condition held) {
    return Optional.of(held)
        .filter(it -> it.isFor(NodeReason.HELD, NodeReason.NOT_HELD))
        .map(it -> normal(it.isTrue() ? "Held" : "Released", it.message()));
  }

  private static Optional<ObjectEvent> atRisk(Condition risk) {
    boolean released = risk.isFor(NodeReason.DATA_VOLUME_RELEASED);
    return Optional.of(
        risk.isTrue()
            ? warning(released ? "DataVolumeReleased" : "DataVolumeAtRisk", risk.message())
            : normal("DataVolumeNotAtRisk", risk.message()));
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
              it ->
                  warning(
                      "ClaimLost",
                      "the claim with the node's data is gone; starting over with a new one"));
    }
    if (old != null && now == null) {
      return Optional.of(normal("PlanComplete", about(old)));
    }
    if (old == null || !old.isActive()) {
      return Optional.empty();
    }
    if (!Objects.equals(old.id(), now.id())) {
      return Optional.of(normal("PlanSuperseded", "superseded by: " + about(now)));
    }
    return now.isFailed() ? Optional.of(warning("PlanFailed", failure(now))) : Optional.empty();
  }

  private static Optional<ObjectEvent> reset(SeiNodeStatus before, SeiNodeStatus after) {
    return Optional.ofNullable(after.dataReset())
        .filter(it -> it.claimUid() != null && !it.equals(before.dataReset()))
        .map(
            it ->
                it.completedAt() == null
                    ? warning(
                        "DataReset", "wiping the chain data; node key and signing state are kept")
                    : normal("DataResetComplete", "the node runs again after its data was wiped"));
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
        : named(before) + " was deleted and created by somebody else; replacing it";
  }

  private static String named(SeiNodeStatus status) {
    return "StatefulSet " + status.statefulSet().name();
  }

  /** A node can be born into a conflict, so the condition need not have been there before. */
  private static Optional<String> conflict(SeiNodeStatus before, SeiNodeStatus after) {
    return ofConflict(after).filter(now -> ofConflict(before).isEmpty()).map(Condition::message);
  }

  private static Optional<Condition> ofConflict(SeiNodeStatus status) {
    return find(status, NodeConditionType.STATEFUL_SET_READY)
        .filter(ready -> ready.isFor(NodeReason.CONFLICT, NodeReason.GO_OPERATOR_RUNS));
  }

  /**
   * A stall also ends where the node is paused or held, halts, or tries another spec; then it has
   * not recovered.
   */
  private static Optional<ObjectEvent> stalled(
      SeiNodeStatus before, SeiNodeStatus after, Condition stalled) {
    if (stalled.isTrue()) {
      return Optional.of(warning("Stalled", stalled.reason() + ": " + stalled.message()));
    }
    boolean was =
        find(before, NodeConditionType.STALLED)
            .filter(it -> it.isTrue() || it.isFor(NodeReason.RECOVERING))
            .isPresent();
    boolean isReady = Conditions.isTrue(after.conditions(), NodeConditionType.READY);
    return was && isReady && stalled.isFor(NodeReason.NOT_STALLED)
        ? Optional.of(normal("Recovered", "the node is Ready and no longer stalled"))
        : Optional.empty();
  }

  private static Optional<ObjectEvent> sidecar(
      SeiNodeStatus before, SeiNodeStatus after, Condition ready) {
    // The sidecar of a new pod becomes ready for the first time: nothing was lost.
    boolean asked =
        find(before, NodeConditionType.SIDECAR_READY)
            .filter(was -> !was.isFor(NodeReason.NO_POD, NodeReason.SIDECAR_NOT_PROBED))
            .isPresent();
    if (asked && ready.isTrue()) {
      return Optional.of(normal("SidecarReadinessRestored", ready.message()));
    }
    return asked && ready.isFor(NodeReason.SIDECAR_NOT_READY)
        ? Optional.of(warning("SidecarReadinessLost", ready.message()))
        : Optional.empty();
  }

  /** What keeps a key from being used, once for each cause. */
  private static Optional<ObjectEvent> key(
      NodeConditionType type, SeiNodeStatus before, SeiNodeStatus after) {
    Optional<String> was = find(before, type).map(Condition::reason);
    return find(after, type)
        .filter(now -> now.status() == ConditionStatus.FALSE)
        .filter(now -> !was.equals(Optional.of(now.reason())))
        .map(
            now ->
                now.isFor(NodeReason.IN_USE)
                    ? warning("SigningKeyInUse", now.message())
                    : warning(now.reason(), now.message()));
  }

  /** Once for each upgrade: its message names it. */
  private static Optional<String> notListed(SeiNodeStatus before, SeiNodeStatus after) {
    return notListed(after).filter(now -> !notListed(before).equals(Optional.of(now)));
  }

  /**
   * Once for each halt that waits for a person. One that is listed goes on by itself, or says why
   * it does not.
   */
  private static Optional<String> haltedUnlisted(SeiNodeStatus before, SeiNodeStatus after) {
    return halt(after)
        .filter(now -> halt(before).isEmpty())
        .map(Condition::message)
        .filter(
            now ->
                UpgradeEvents.upgrades(after)
                    .noneMatch(it -> now.contains("upgrade \"" + it.name() + "\"")));
  }

  private static Optional<Condition> halt(SeiNodeStatus status) {
    return find(status, NodeConditionType.READY)
        .filter(ready -> ready.isFor(StallReason.HALTED_AT_UPGRADE));
  }

  private static Optional<String> notListed(SeiNodeStatus status) {
    return find(status, NodeConditionType.UPGRADES_READY)
        .filter(it -> it.isFor(NodeReason.NOT_LISTED))
        .map(Condition::message);
  }

  /** That a volume grows, and what becomes of that; not that a new one has its size. */
  private static Optional<ObjectEvent> resized(SeiNodeStatus before, SeiNodeStatus after) {
    Optional<Condition> was = find(before, NodeConditionType.DATA_VOLUME_RESIZED);
    return find(after, NodeConditionType.DATA_VOLUME_RESIZED)
        .filter(now -> !was.map(Condition::reason).equals(Optional.of(now.reason())))
        .filter(now -> !now.isTrue() || was.isPresent())
        .map(
            now ->
                now.isFor(
                        NodeReason.RESIZED,
                        NodeReason.RESIZING,
                        NodeReason.FILE_SYSTEM_RESIZE_PENDING)
                    ? normal("DataVolume" + now.reason(), now.message())
                    : warning("DataVolume" + now.reason(), now.message()));
  }

  /** Once for each message: a spec that is mended in part is invalid for what is left. */
  private static Optional<String> invalidSpec(SeiNodeStatus before, SeiNodeStatus after) {
    Optional<String> said = find(before, NodeConditionType.READY).map(Condition::message);
    return find(after, NodeConditionType.READY)
        .filter(ready -> ready.isFor(NodeReason.INVALID_SPEC))
        .map(Condition::message)
        .filter(message -> !said.equals(Optional.of(message)));
  }

  private static Optional<Condition> find(SeiNodeStatus status, NodeConditionType type) {
    return Conditions.find(status.conditions(), type);
  }

  /** The condition as it is now, if it was there before and its status or reason has changed. */
  private static Optional<Condition> changed(
      NodeConditionType type, SeiNodeStatus before, SeiNodeStatus after) {
    Optional<Condition> was = find(before, type);
    return find(after, type)
        .filter(
            it ->
                was.isEmpty()
                    ? it.isTrue() && type != NodeConditionType.SIDECAR_READY
                    : it.status() != was.get().status() || !it.reason().equals(was.get().reason()));
  }
}
