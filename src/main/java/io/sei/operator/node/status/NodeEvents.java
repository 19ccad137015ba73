package io.sei.operator.node.status;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.kube.ObjectEvent.warning;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.DataReset;
import io.sei.operator.api.v1alpha1.FailedTaskDetail;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.kube.ObjectEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Derives events from the difference between two statuses. */
public final class NodeEvents {

  private NodeEvents() {}

  /** What happened between two statuses that follow each other. */
  public static List<ObjectEvent> between(SeiNodeStatus before, SeiNodeStatus after) {
    var events = new ArrayList<ObjectEvent>();
    phase(before, after, events);
    plan(before, after, events);
    reset(before.dataReset(), after.dataReset()).ifPresent(events::add);
    statefulSet(before, after, events);
    condition(NodeConditionType.STALLED, before, after)
        .ifPresent(stalled -> stalled(before, after, stalled, events));
    condition(NodeConditionType.SIDECAR_READY, before, after)
        .ifPresent(ready -> sidecar(before, ready, events));
    condition(NodeConditionType.PAUSED, before, after)
        .filter(paused -> !paused.isFor(NodeReason.PAUSING))
        .ifPresent(paused -> events.add(paused(paused)));
    condition(NodeConditionType.HELD, before, after)
        .filter(held -> held.isFor(NodeReason.HELD, NodeReason.NOT_HELD))
        .ifPresent(held -> events.add(normal(held.isTrue() ? "Held" : "Released", held.message())));
    condition(NodeConditionType.RESTART_PENDING, before, after)
        .filter(Condition::isTrue)
        .ifPresent(pending -> events.add(normal("RestartPending", pending.message())));
    condition(NodeConditionType.DATA_VOLUME_PINNED, before, after)
        .filter(Condition::isTrue)
        .ifPresent(pinned -> events.add(warning("DataVolumePinned", pinned.message())));
    condition(NodeConditionType.DATA_VOLUME_AT_RISK, before, after)
        .map(
            risk ->
                risk.isTrue()
                    ? warning(
                        risk.isFor(NodeReason.DATA_VOLUME_RELEASED)
                            ? "DataVolumeReleased"
                            : "DataVolumeAtRisk",
                        risk.message())
                    : normal("DataVolumeNotAtRisk", risk.message()))
        .ifPresent(events::add);
    KeyConditions.TYPES.forEach(type -> key(type, before, after).ifPresent(events::add));
    otherSigningKey(before, after).ifPresent(events::add);
    invalidSpec(before, after).ifPresent(events::add);
    upgrades(before, after, events);
    notListed(before, after).ifPresent(events::add);
    haltedUnlisted(before, after).ifPresent(events::add);
    resized(before, after).ifPresent(events::add);
    return events;
  }

  private static Optional<ObjectEvent> otherSigningKey(SeiNodeStatus before, SeiNodeStatus after) {
    return Optional.ofNullable(before.signingPublicKey())
        .filter(key -> after.signingPublicKey() != null && !key.equals(after.signingPublicKey()))
        .map(
            key ->
                warning(
                    "SigningKeyChanged",
                    "the Secret of the signing key holds another key than before; the next pod"
                        + " signs with it"));
  }

  /** Why a plan failed, in one sentence. */
  public static String failure(TaskPlan plan) {
    FailedTaskDetail detail = plan.failedTaskDetail();
    return detail == null
        ? "the plan failed"
        : "task " + detail.type() + " failed: " + detail.error();
  }

  private static ObjectEvent paused(Condition paused) {
    if (paused.isFor(NodeReason.STOPPED_FOR_SNAPSHOT)) {
      return normal(paused.reason(), paused.message());
    }
    return paused.isTrue()
        ? normal("Paused", "the pod is stopped; volume and plan are kept")
        : normal("Unpaused", "the pod is starting again");
  }

  private static void phase(SeiNodeStatus before, SeiNodeStatus after, List<ObjectEvent> events) {
    if (before.phase() == after.phase() || after.phase() == null) {
      return;
    }
    String from = before.phase() == null ? "none" : before.phase().toString();
    events.add(normal("PhaseTransition", "Phase changed from " + from + " to " + after.phase()));
  }

  private static void plan(SeiNodeStatus before, SeiNodeStatus after, List<ObjectEvent> events) {
    TaskPlan old = before.plan();
    TaskPlan now = after.plan();
    if (before.phase() != NodePhase.PENDING && after.phase() == NodePhase.PENDING) {
      if (before.phase() != null) {
        events.add(
            warning(
                "ClaimLost",
                "the claim with the node's data is gone; starting over with a new one"));
      }
      return;
    }
    boolean replaced = now != null && (old == null || !Objects.equals(old.id(), now.id()));
    if (replaced && old != null && old.isActive()) {
      events.add(normal("PlanSuperseded", "superseded by: " + about(now)));
    } else if (old != null && now == null) {
      events.add(normal("PlanComplete", about(old)));
    } else if (old != null && old.isActive() && now.isFailed()) {
      events.add(warning("PlanFailed", failure(now)));
    }
  }

  private static Optional<ObjectEvent> reset(DataReset before, DataReset after) {
    if (after == null || after.claimUid() == null || after.equals(before)) {
      return Optional.empty();
    }
    return Optional.of(
        after.completedAt() == null
            ? warning("DataReset", "wiping the chain data; node key and signing state are kept")
            : normal("DataResetComplete", "the node runs again after its data was wiped"));
  }

  private static void upgrades(
      SeiNodeStatus before, SeiNodeStatus after, List<ObjectEvent> events) {
    if (before.phase() == null) {
      // What an earlier node of the name went through is read from its claim.
      return;
    }
    Set<String> applied = names(before, UpgradeStatus::isApplied);
    upgrades(after)
        .filter(it -> it.isApplied() && !applied.contains(it.name()))
        .map(
            it ->
                "upgrade \"%s\" at height %d: %s; continuing with image %s"
                    .formatted(it.name(), it.height(), it.evidence(), it.image()))
        .forEach(message -> events.add(normal("UpgradeReached", message)));
    upgrades(after)
        .filter(it -> it.isWithdrawn() && applied.contains(it.name()))
        .map(
            it ->
                "image %s came too early for upgrade \"%s\" and is taken back: %s"
                    .formatted(it.image(), it.name(), it.evidence()))
        .forEach(message -> events.add(warning("UpgradeWithdrawn", message)));
    Map<String, UpgradeStatus> had = new HashMap<>();
    upgrades(before).forEach(it -> had.put(it.name() + " " + it.image(), it));
    upgrades(after)
        .filter(UpgradeStatus::isAhead)
        .forEach(it -> pulled(had.get(it.name() + " " + it.image()), it, events));
  }

  /**
   * What happened to the image of an upgrade ahead.
   *
   * @param before null if the image was not listed for it
   */
  private static void pulled(UpgradeStatus before, UpgradeStatus now, List<ObjectEvent> events) {
    if (now.pullError() != null && (before == null || before.pullError() == null)) {
      events.add(warning("UpgradeImagePull", UpgradesReady.notPulled(now)));
    }
    if (now.previousImageID() != null
        && (before == null || !now.previousImageID().equals(before.previousImageID()))) {
      events.add(warning("UpgradeImageChanged", UpgradesReady.movedTag(now)));
    }
    if (now.state() == UpgradeState.READY
        && (before == null || before.state() != UpgradeState.READY)) {
      events.add(
          normal(
              "UpgradePrepared",
              "image %s of upgrade \"%s\" is on Kubernetes node %s"
                  .formatted(now.image(), now.name(), now.pulledOn())));
    }
  }

  private static Set<String> names(SeiNodeStatus status, Predicate<UpgradeStatus> which) {
    return upgrades(status).filter(which).map(UpgradeStatus::name).collect(Collectors.toSet());
  }

  private static Stream<UpgradeStatus> upgrades(SeiNodeStatus status) {
    return Stream.ofNullable(status.upgrades()).flatMap(List::stream);
  }

  private static String about(TaskPlan plan) {
    boolean imageless = plan.target() == null || plan.kind() == PlanKind.CONFIG;
    String target = imageless ? "" : " to image " + plan.target().image();
    return plan.kind() + " plan" + target;
  }

  private static void statefulSet(
      SeiNodeStatus before, SeiNodeStatus after, List<ObjectEvent> events) {
    boolean lost = before.statefulSet() != null && after.statefulSet() == null;
    boolean gained = before.statefulSet() == null && after.statefulSet() != null;
    if (lost && after.replacing() != null) {
      events.add(warning("StatefulSetReplacing", replacement(before, after)));
    } else if (lost) {
      events.add(warning("StatefulSetLost", named(before) + " is gone"));
    } else if (gained && after.currentImage() != null) {
      events.add(normal("StatefulSetRecreated", named(after) + " was created again"));
    } else if (gained) {
      events.add(normal("StatefulSetTracked", named(after) + " belongs to this node"));
    }
    Conditions.find(after.conditions(), NodeConditionType.STATEFUL_SET_READY)
        .filter(NodeEvents::isConflict)
        .filter(ready -> !wasConflict(before))
        .ifPresent(ready -> events.add(warning("StatefulSetConflict", ready.message())));
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
  private static boolean wasConflict(SeiNodeStatus before) {
    return Conditions.find(before.conditions(), NodeConditionType.STATEFUL_SET_READY)
        .filter(NodeEvents::isConflict)
        .isPresent();
  }

  private static boolean isConflict(Condition ready) {
    return ready.isFor(NodeReason.CONFLICT, NodeReason.GO_OPERATOR_RUNS);
  }

  /**
   * A stall also ends where the node is paused or held, halts, or tries another spec; then it has
   * not recovered.
   */
  private static void stalled(
      SeiNodeStatus before, SeiNodeStatus after, Condition stalled, List<ObjectEvent> events) {
    boolean was =
        Conditions.find(before.conditions(), NodeConditionType.STALLED)
            .filter(it -> it.isTrue() || it.isFor(NodeReason.RECOVERING))
            .isPresent();
    boolean isReady = Conditions.isTrue(after.conditions(), NodeConditionType.READY);
    if (stalled.isTrue()) {
      events.add(warning("Stalled", stalled.reason() + ": " + stalled.message()));
    } else if (was && isReady && stalled.isFor(NodeReason.NOT_STALLED)) {
      events.add(normal("Recovered", "the node is Ready and no longer stalled"));
    }
  }

  private static void sidecar(SeiNodeStatus before, Condition ready, List<ObjectEvent> events) {
    // The sidecar of a new pod becomes ready for the first time: nothing was lost.
    boolean asked =
        Conditions.find(before.conditions(), NodeConditionType.SIDECAR_READY)
            .filter(was -> !was.isFor(NodeReason.NO_POD, NodeReason.SIDECAR_NOT_PROBED))
            .isPresent();
    if (ready.isTrue() && asked) {
      events.add(normal("SidecarReadinessRestored", ready.message()));
    } else if (asked && ready.isFor(NodeReason.SIDECAR_NOT_READY)) {
      events.add(warning("SidecarReadinessLost", ready.message()));
    }
  }

  /** What keeps a key from being used, once for each cause. */
  private static Optional<ObjectEvent> key(
      NodeConditionType type, SeiNodeStatus before, SeiNodeStatus after) {
    Optional<String> was = Conditions.find(before.conditions(), type).map(Condition::reason);
    return Conditions.find(after.conditions(), type)
        .filter(now -> now.status() == ConditionStatus.FALSE)
        .filter(now -> !was.equals(Optional.of(now.reason())))
        .map(
            now ->
                now.isFor(NodeReason.IN_USE)
                    ? warning("SigningKeyInUse", now.message())
                    : warning(now.reason(), now.message()));
  }

  /** Once for each upgrade: its message names it. */
  private static Optional<ObjectEvent> notListed(SeiNodeStatus before, SeiNodeStatus after) {
    return notListed(after)
        .filter(now -> !notListed(before).equals(Optional.of(now)))
        .map(message -> warning("UpgradeNotListed", message));
  }

  /**
   * Once for each halt that waits for a person. One that is listed goes on by itself, or says why
   * it does not.
   */
  private static Optional<ObjectEvent> haltedUnlisted(SeiNodeStatus before, SeiNodeStatus after) {
    return halt(after)
        .filter(now -> halt(before).isEmpty())
        .filter(
            now ->
                upgrades(after)
                    .noneMatch(it -> now.message().contains("upgrade \"" + it.name() + "\"")))
        .map(now -> warning(now.reason(), now.message()));
  }

  private static Optional<Condition> halt(SeiNodeStatus status) {
    return Conditions.find(status.conditions(), NodeConditionType.READY)
        .filter(ready -> ready.isFor(StallReason.HALTED_AT_UPGRADE));
  }

  private static Optional<String> notListed(SeiNodeStatus status) {
    return Conditions.find(status.conditions(), NodeConditionType.UPGRADES_READY)
        .filter(it -> it.isFor(NodeReason.NOT_LISTED))
        .map(Condition::message);
  }

  /** That a volume grows, and what becomes of that; not that a new one has its size. */
  private static Optional<ObjectEvent> resized(SeiNodeStatus before, SeiNodeStatus after) {
    var type = NodeConditionType.DATA_VOLUME_RESIZED;
    Optional<Condition> was = Conditions.find(before.conditions(), type);
    return Conditions.find(after.conditions(), type)
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

  private static Optional<ObjectEvent> invalidSpec(SeiNodeStatus before, SeiNodeStatus after) {
    return condition(NodeConditionType.READY, before, after)
        .or(() -> Conditions.find(after.conditions(), NodeConditionType.READY))
        .filter(ready -> ready.isFor(NodeReason.INVALID_SPEC))
        .filter(
            ready ->
                !Conditions.find(before.conditions(), NodeConditionType.READY)
                    .map(Condition::message)
                    .equals(Optional.of(ready.message())))
        .map(ready -> warning("InvalidSpec", ready.message()));
  }

  /** The condition as it is now, if it was there before and its status or reason has changed. */
  private static Optional<Condition> condition(
      NodeConditionType type, SeiNodeStatus before, SeiNodeStatus after) {
    Optional<Condition> now = Conditions.find(after.conditions(), type);
    Optional<Condition> was = Conditions.find(before.conditions(), type);
    boolean first = was.isEmpty();
    return now.filter(
        it ->
            first
                ? it.isTrue() && type != NodeConditionType.SIDECAR_READY
                : it.status() != was.get().status() || !it.reason().equals(was.get().reason()));
  }
}
