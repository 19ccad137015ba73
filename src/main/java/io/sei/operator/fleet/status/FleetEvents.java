package io.sei.operator.fleet.status;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.kube.ObjectEvent.warning;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.kube.ObjectEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Derives events from the difference between two statuses of a deployment. */
public final class FleetEvents {

  private FleetEvents() {}

  /** What happened between two statuses that follow each other. */
  public static List<ObjectEvent> between(
      SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after) {
    var events = new ArrayList<ObjectEvent>();
    nodes(before, after, events);
    rollout(before, after, events);
    paused(before, after).ifPresent(events::add);
    stalled(before, after).ifPresent(events::add);
    changed(FleetConditionType.DATA_VOLUME_AT_RISK, before, after)
        .map(
            risk ->
                risk.isTrue()
                    ? warning("DataVolumeAtRisk", risk.message())
                    : normal("DataVolumeNotAtRisk", risk.message()))
        .ifPresent(events::add);
    snapshots(before.snapshots(), after.snapshots(), events);
    changed(FleetConditionType.READY, before, after)
        .filter(ready -> ready.isFor(FleetReason.CHILD_CONFLICT))
        .ifPresent(ready -> events.add(warning(ready.reason(), ready.message())));
    changed(FleetConditionType.UP_TO_DATE, before, after)
        .filter(
            condition -> condition.isFor(FleetReason.INVALID_SPEC, FleetReason.SERVICE_CONFLICT))
        .ifPresent(condition -> events.add(warning(condition.reason(), condition.message())));
    return events;
  }

  private static void nodes(
      SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after, List<ObjectEvent> events) {
    List<String> old = orEmpty(before.incumbentNodes());
    List<String> now = orEmpty(after.incumbentNodes());
    now.stream()
        .filter(name -> !old.contains(name))
        .forEach(name -> events.add(normal("SeiNodeCreated", "created SeiNode " + name)));
    old.stream()
        .filter(name -> !now.contains(name))
        .forEach(name -> events.add(normal("SeiNodeDeleted", "deleted SeiNode " + name)));
  }

  private static void rollout(
      SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after, List<ObjectEvent> events) {
    Rollout old = before.rollout();
    Rollout now = after.rollout();
    boolean failed =
        after.failedTemplateHash() != null
            && !after.failedTemplateHash().equals(before.failedTemplateHash());
    String message = message(FleetConditionType.ROLLOUT_IN_PROGRESS, after);
    if (failed) {
      events.add(warning("RollingBack", message));
    }
    if (now != null && old == null && before.pausedRollout() == null) {
      events.add(normal("RolloutStarted", message));
    } else if (now != null && old == null) {
      events.add(normal("RolloutResumed", message));
    } else if (now != null && !failed && !now.targetHash().equals(old.targetHash())) {
      events.add(normal("RolloutSuperseded", message));
    } else if (now == null && old != null && after.pausedRollout() == null) {
      boolean restarted =
          Conditions.find(before.conditions(), FleetConditionType.ROLLOUT_IN_PROGRESS)
              .filter(it -> it.isFor(FleetReason.TEMPLATE_CHANGED))
              .isPresent();
      boolean back = after.failedTemplateHash() != null && !restarted;
      events.add(normal(back ? "RolledBack" : "RolloutComplete", message));
    }
  }

  private static void snapshots(FleetSnapshots old, FleetSnapshots now, List<ObjectEvent> events) {
    FleetSnapshots before = old == null ? FleetSnapshots.empty() : old;
    FleetSnapshots after = now == null ? FleetSnapshots.empty() : now;
    if (after.active() != null && before.active() == null) {
      events.add(
          normal(
              "SnapshotStarted",
              "stopping node %s for VolumeSnapshot %s"
                  .formatted(after.active().node(), after.active().snapshot())));
    }
    if (after.latest() != null && !after.latest().equals(before.latest())) {
      events.add(
          normal(
              "SnapshotTaken",
              "VolumeSnapshot %s of node %s is ready to use"
                  .formatted(after.latest().name(), after.latest().node())));
    }
    if (!Objects.equals(after.retainingClass(), before.retainingClass())) {
      SnapshotsHealthy.retained(after)
          .ifPresent(it -> events.add(warning("SnapshotsRetained", it)));
    }
    if (after.failures() != null && !after.failures().equals(before.failures())) {
      events.add(warning("SnapshotFailed", after.message()));
    }
  }

  private static Optional<ObjectEvent> paused(
      SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after) {
    boolean known = Conditions.find(before.conditions(), FleetConditionType.PAUSED).isPresent();
    return changed(FleetConditionType.PAUSED, before, after)
        .filter(paused -> !paused.isFor(FleetReason.PAUSING))
        .filter(paused -> paused.isTrue() || known)
        .map(paused -> normal(paused.isTrue() ? "Paused" : "Unpaused", paused.message()));
  }

  private static Optional<ObjectEvent> stalled(
      SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after) {
    boolean was =
        Conditions.find(before.conditions(), FleetConditionType.STALLED)
            .filter(it -> it.isTrue() || it.isFor(FleetReason.RECOVERING))
            .isPresent();
    boolean isStopped =
        Conditions.find(after.conditions(), FleetConditionType.NODES_READY)
            .filter(it -> it.isFor(FleetReason.PAUSED))
            .isPresent();
    return changed(FleetConditionType.STALLED, before, after)
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
    return Conditions.find(status.conditions(), type).map(Condition::message).orElse("");
  }

  /** The condition as it is now, if it is new or its status or reason is another. */
  private static Optional<Condition> changed(
      FleetConditionType type, SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after) {
    Optional<Condition> was = Conditions.find(before.conditions(), type);
    return Conditions.find(after.conditions(), type)
        .filter(
            now ->
                was.isEmpty()
                    || now.status() != was.get().status()
                    || !now.reason().equals(was.get().reason()));
  }

  private static List<String> orEmpty(List<String> names) {
    return names == null ? List.of() : names;
  }
}
