package io.sei.operator.testkit.samples;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.Progress;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import java.time.Instant;
import java.util.Optional;

/** Completes a status that a test gives by its conditions with the fields stored beside them. */
public final class RecordedConditions {

  private RecordedConditions() {}

  /** The status of a node; a field that is set stays. */
  public static SeiNodeStatus of(SeiNodeStatus given) {
    SeiNodeStatus status = given.seeded();
    Optional<Condition> ready = Conditions.find(given.conditions(), NodeConditionType.READY);
    if (ready.isPresent() && status.readySince() == null && status.unreadySince() == null) {
      status = status.withReadiness(ready.get().isTrue(), ready.get().lastTransitionTime());
    }
    Optional<Condition> paused = Conditions.find(given.conditions(), NodeConditionType.PAUSED);
    if (paused.isPresent() && status.pausedChangedAt().isEmpty()) {
      status = status.withPaused(paused.get().isTrue(), paused.get().lastTransitionTime());
    }
    Optional<Condition> stalled = Conditions.find(given.conditions(), NodeConditionType.STALLED);
    return stalled.isPresent() && status.progress() == null
        ? status.withProgress(progress(stalled.get()))
        : status;
  }

  /** The status of a fleet; a field that is set stays. */
  public static SeiNodeDeploymentStatus of(SeiNodeDeploymentStatus given) {
    SeiNodeDeploymentStatus status = given;
    Optional<Condition> paused = Conditions.find(given.conditions(), FleetConditionType.PAUSED);
    if (paused.isPresent() && status.rolloutsPaused() == null) {
      status =
          status.withRolloutsPaused(
              paused.get().isTrue() || paused.get().isFor(FleetReason.PAUSING));
    }
    Optional<Condition> stalled = Conditions.find(given.conditions(), FleetConditionType.STALLED);
    return stalled.isPresent() && status.progress() == null
        ? status.withProgress(progress(stalled.get()))
        : status;
  }

  /** A status with a condition that has had this value since then. */
  public static SeiNodeStatus with(
      SeiNodeStatus status, NodeConditionType type, boolean value, String reason, Instant since) {
    return status.withConditions(
        Conditions.with(
            status.conditions(),
            type,
            ConditionStatus.of(value),
            new Reason.Stored(reason),
            "message",
            7L,
            since));
  }

  private static Progress progress(Condition stalled) {
    return new Progress(
        stalled.isTrue() ? stalled.reason() : null,
        stalled.lastTransitionTime(),
        stalled.isFor(NodeReason.RECOVERING) ? true : null);
  }
}
