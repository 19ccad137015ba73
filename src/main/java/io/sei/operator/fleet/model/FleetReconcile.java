package io.sei.operator.fleet.model;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.kube.Refusals;
import io.sei.operator.plan.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * One reconcile of one deployment: what was observed, and the status as it comes to be. Nothing of
 * it outlives the reconcile but the status, which is written once, at the end.
 */
public final class FleetReconcile {

  private final FleetSnapshot snapshot;
  private SeiNodeDeploymentStatus status;
  private Optional<RolloutVerdict> verdict = Optional.empty();
  private final List<String> conflicts = new ArrayList<>();
  private final Refusals refusals = new Refusals();
  private Optional<String> serviceConflict = Optional.empty();
  private InheritedNetworking inherited;
  private Optional<String> inheritedTrouble = Optional.empty();
  private Optional<TaskPlan> stepped = Optional.empty();
  private Duration recheck;

  public FleetReconcile(FleetSnapshot snapshot) {
    this.snapshot = snapshot;
    this.status = snapshot.status();
    this.inherited = InheritedNetworking.of(snapshot.deployment(), List.of(), List.of());
  }

  public FleetSnapshot snapshot() {
    return snapshot;
  }

  public SeiNodeDeployment deployment() {
    return snapshot.deployment();
  }

  /** The status as it stands by now. */
  public SeiNodeDeploymentStatus status() {
    return status;
  }

  /** Changes the status to be written. */
  public void update(UnaryOperator<SeiNodeDeploymentStatus> change) {
    status = change.apply(status);
  }

  /**
   * Sets a condition of the status to be written.
   *
   * @param reason a {@code FleetReason}, or a reason taken over from a node
   */
  public void condition(
      FleetConditionType type, ConditionStatus value, Object reason, String message) {
    update(
        before ->
            before.withConditions(
                Conditions.with(
                    before.conditions(),
                    type.toString(),
                    value,
                    reason.toString(),
                    message,
                    deployment().getMetadata().getGeneration(),
                    snapshot.now())));
  }

  /** Notes what the rollout may do. */
  public void judged(RolloutVerdict judgement) {
    verdict = Optional.of(judgement);
    judgement.recheck().ifPresent(this::recheckAfter);
  }

  /** What the rollout may do, if there is one. */
  public Optional<RolloutVerdict> verdict() {
    return verdict;
  }

  /** Notes the plan as its step left it; one that has ended is not kept in the status. */
  public void stepped(TaskPlan plan) {
    stepped = Optional.of(plan);
  }

  /** The plan as the reconcile left it, also if it is not kept; null if there is none. */
  public TaskPlan plan() {
    return stepped.orElse(status.plan());
  }

  /** Notes a node of somebody else that has a name this deployment needs. */
  public void conflict(String description) {
    conflicts.add(description);
  }

  /** Nodes in the way, in the order they were found. */
  public List<String> conflicts() {
    return List.copyOf(conflicts);
  }

  /** Notes a Service of somebody else that has the name of the deployment's own. */
  public void serviceConflict(String description) {
    serviceConflict = Optional.of(description);
  }

  /** The Service in the way, if there is one. */
  public Optional<String> serviceConflict() {
    return serviceConflict;
  }

  /**
   * Notes what the Go operator left beside the nodes.
   *
   * @param trouble why more may be there, or why its owners are not as they should be
   */
  public void inherited(InheritedNetworking networking, Optional<String> trouble) {
    inherited = networking;
    inheritedTrouble = trouble;
  }

  /** What the Go operator left beside the nodes. */
  public InheritedNetworking inherited() {
    return inherited;
  }

  /** What went wrong with that. */
  public Optional<String> inheritedTrouble() {
    return inheritedTrouble;
  }

  /** What the API server refuses of the deployment. */
  public Refusals refusals() {
    return refusals;
  }

  /** When to ask again for what is refused: the longer it has been, the later. */
  public Duration refusalRecheck() {
    return Backoff.OF_TASKS.whileStalled(snapshot.status().conditions(), snapshot.now());
  }

  /** Asks for another reconcile after {@code delay} at the latest. */
  public void recheckAfter(Duration delay) {
    if (recheck == null || delay.compareTo(recheck) < 0) {
      recheck = delay;
    }
  }

  /** When to reconcile again if no event comes first. */
  public Optional<Duration> recheck() {
    return Optional.ofNullable(recheck);
  }
}
