package io.sei.operator.fleet.status;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetReconcile;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.model.RolloutVerdict;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Says in conditions what came of a reconcile of a deployment. */
public final class FleetConditions {

  /** How plans and rollouts end; what else a condition says of them is not ours. */
  private static final Set<String> ENDS =
      Set.of(
          FleetReason.PLAN_COMPLETE.toString(),
          FleetReason.ROLLOUT_COMPLETE.toString(),
          FleetReason.ROLLED_BACK.toString());

  private final FleetReconcile reconcile;
  private final List<FleetNode> fleet;
  private final Optional<Finding> refusal;

  private FleetConditions(FleetReconcile reconcile) {
    this.reconcile = reconcile;
    this.fleet = reconcile.snapshot().fleet();
    this.refusal = reconcile.refusals().message().map(Diagnosis::refused);
  }

  /** Sets every condition of the status to be written. */
  public static void derive(FleetReconcile reconcile) {
    var conditions = new FleetConditions(reconcile);
    conditions.ready();
    conditions.nodesReady();
    conditions.stalled();
    conditions.upToDate();
    conditions.planInProgress();
    conditions.rolloutInProgress();
    conditions.paused();
    conditions.networkingReady();
    conditions.genesisCeremonyComplete();
  }

  private void ready() {
    Optional<FleetNode> worst = worst();
    FleetConditionType type = FleetConditionType.READY;
    if (!reconcile.conflicts().isEmpty()) {
      set(type, false, FleetReason.CHILD_CONFLICT, String.join("; ", reconcile.conflicts()));
    } else if (isComplete() && worst.isEmpty()) {
      set(type, true, FleetReason.ALL_NODES_READY, counted());
    } else if (worst.isPresent()) {
      FleetNode node = worst.get();
      Object reason =
          Objects.requireNonNullElse(node.readyReason(), FleetReason.NODES_INITIALIZING);
      set(type, false, reason, counted() + "; worst is " + node.name());
    } else if (refusal.isPresent()) {
      set(type, false, refusal.get().reason(), counted() + "; " + refusal.get().message());
    } else {
      set(type, false, FleetReason.NODES_INITIALIZING, counted());
    }
  }

  private void nodesReady() {
    FleetConditionType type = FleetConditionType.NODES_READY;
    if (reconcile.snapshot().isPaused()) {
      set(type, false, FleetReason.PAUSED, counted());
    } else if (fleet.stream().anyMatch(node -> node.phase() == NodePhase.FAILED)) {
      set(type, false, FleetReason.NODES_FAILED, counted());
    } else if (isComplete() && worst().isEmpty()) {
      set(type, true, FleetReason.ALL_NODES_READY, counted());
    } else if (fleet.stream().allMatch(node -> node.phase() == NodePhase.RUNNING)) {
      set(type, false, FleetReason.NODES_NOT_READY, counted());
    } else {
      set(type, false, FleetReason.NODES_INITIALIZING, counted());
    }
  }

  private void stalled() {
    Optional<FleetNode> stalled =
        reconcile
            .verdict()
            .flatMap(RolloutVerdict::stalled)
            .or(() -> fleet.stream().filter(node -> node.stall() != null).findFirst());
    FleetConditionType type = FleetConditionType.STALLED;
    if (refusal.isPresent()) {
      set(type, true, refusal.get().reason(), refusal.get().message());
    } else if (stalled.isPresent()) {
      FleetNode node = stalled.get();
      set(type, true, node.stall(), node.name() + ": " + node.stallMessage());
    } else {
      set(type, false, FleetReason.NOT_STALLED, "no node is stalled");
    }
  }

  private void upToDate() {
    SeiNodeDeploymentStatus status = reconcile.status();
    FleetConditionType type = FleetConditionType.UP_TO_DATE;
    if (refusal.isPresent()) {
      set(type, false, refusal.get().reason(), refusal.get().message());
    } else if (reconcile.serviceConflict().isPresent()) {
      set(type, false, FleetReason.SERVICE_CONFLICT, reconcile.serviceConflict().get());
    } else if (status.failedTemplateHash() != null) {
      set(
          type,
          false,
          FleetReason.ROLLED_BACK,
          reconcile.snapshot().describe(status.failedTemplateHash())
              + " was rolled back; change the template to try again");
    } else if (status.rollout() == null && isComplete() && allUpdated()) {
      set(type, true, FleetReason.UP_TO_DATE, "every node runs what the spec asks for");
    } else {
      set(
          type,
          false,
          FleetReason.OUTDATED,
          status.updated() + " nodes run what the spec asks for");
    }
  }

  private boolean allUpdated() {
    int partition = reconcile.snapshot().limits().partition();
    return fleet.stream()
        .filter(node -> node.ordinal() >= partition)
        .allMatch(node -> node.runs(reconcile.snapshot().templateHash()));
  }

  private void planInProgress() {
    FleetConditionType type = FleetConditionType.PLAN_IN_PROGRESS;
    boolean active = reconcile.status().plan() != null && reconcile.status().plan().isActive();
    boolean wasActive = reconcile.snapshot().status().plan() != null;
    if (active) {
      set(type, true, FleetReason.PLAN_STARTED, "rolling out");
    } else if (reconcile.snapshot().isHeld()) {
      set(type, false, FleetReason.PAUSED, "rollouts are paused");
    } else if (wasActive) {
      set(type, false, FleetReason.PLAN_COMPLETE, "the plan is complete");
    } else {
      keepOr(type, FleetReason.NOT_STARTED, "no plan yet");
    }
  }

  private void rolloutInProgress() {
    FleetConditionType type = FleetConditionType.ROLLOUT_IN_PROGRESS;
    Rollout rollout = reconcile.status().rollout();
    Rollout before = reconcile.snapshot().status().rollout();
    boolean back = reconcile.status().failedTemplateHash() != null;
    if (rollout != null) {
      set(
          type,
          true,
          back ? FleetReason.ROLLING_BACK : FleetReason.TEMPLATE_CHANGED,
          rollingOut(rollout.targetHash(), back));
    } else if (reconcile.snapshot().isHeld()) {
      set(type, false, FleetReason.PAUSED, "rollouts are paused");
    } else if (before != null) {
      set(
          type,
          false,
          back ? FleetReason.ROLLED_BACK : FleetReason.ROLLOUT_COMPLETE,
          reconcile.snapshot().describe(before.targetHash())
              + (back ? " is restored" : " is rolled out"));
    } else {
      keepOr(type, FleetReason.NOT_STARTED, "no rollout yet");
    }
  }

  private String rollingOut(String target, boolean back) {
    FleetSnapshot snapshot = reconcile.snapshot();
    return back
        ? "%s stalled; rolling back to %s"
            .formatted(snapshot.describe(snapshot.templateHash()), snapshot.describe(target))
        : "rolling out " + snapshot.describe(target);
  }

  private void paused() {
    boolean held = reconcile.snapshot().isHeld();
    long running = fleet.stream().filter(node -> !node.stopped()).count();
    if (reconcile.snapshot().isPaused() && running > 0) {
      set(
          FleetConditionType.PAUSED,
          false,
          FleetReason.PAUSING,
          "spec.paused is true; nodes still stopping: " + running);
      return;
    }
    set(
        FleetConditionType.PAUSED,
        held,
        held ? FleetReason.PAUSED : FleetReason.NOT_PAUSED,
        reconcile.snapshot().isPaused()
            ? "spec.paused is true: every node is stopped"
            : held
                ? "spec.updateStrategy.paused is true: rollouts are paused, nodes keep running"
                : "nothing is paused");
  }

  private void networkingReady() {
    FleetConditionType type = FleetConditionType.NETWORKING_READY;
    Optional<String> inherited = reconcile.inherited().words();
    String trouble =
        reconcile.inheritedTrouble().map(it -> "; the API server says: " + it).orElse("");
    if (inherited.isPresent()) {
      set(
          type,
          false,
          FleetReason.NOT_MANAGED,
          "created by the Go operator, not managed by this one: " + inherited.get() + trouble);
    } else if (reconcile.deployment().getSpec().networking() != null) {
      set(
          type,
          false,
          FleetReason.NOT_SUPPORTED,
          "spec.networking is accepted but not supported yet" + trouble);
    } else {
      set(type, false, FleetReason.NETWORKING_DISABLED, "spec.networking is not set" + trouble);
    }
  }

  /** A ceremony that the Go operator completed stays complete: its chain is there. */
  private void genesisCeremonyComplete() {
    FleetConditionType type = FleetConditionType.GENESIS_CEREMONY_COMPLETE;
    Optional<Condition> complete =
        Conditions.find(reconcile.status().conditions(), type.toString()).filter(Condition::isTrue);
    boolean genesis = reconcile.deployment().getSpec().genesis() != null;
    if (complete.isPresent()) {
      Object reason = Objects.requireNonNullElse(complete.get().reason(), FleetReason.COMPLETE);
      set(type, true, reason, complete.get().message());
    } else if (genesis) {
      set(type, false, FleetReason.NOT_SUPPORTED, "spec.genesis is accepted but not supported yet");
    } else {
      set(type, false, FleetReason.NOT_APPLICABLE, "spec.genesis is not set");
    }
  }

  /** The node to look at first: failed before stalled before not ready, then by ordinal. */
  private Optional<FleetNode> worst() {
    return fleet.stream()
        .filter(node -> !node.isReady())
        .min(
            Comparator.comparing((FleetNode node) -> node.phase() != NodePhase.FAILED)
                .thenComparing(node -> node.stall() == null)
                .thenComparing(FleetNode::ordinal));
  }

  private boolean isComplete() {
    return fleet.size() == reconcile.snapshot().replicas();
  }

  private String counted() {
    return reconcile.status().readyReplicas()
        + "/"
        + reconcile.snapshot().replicas()
        + " nodes ready";
  }

  private void keepOr(FleetConditionType type, FleetReason reason, String message) {
    Optional<Condition> ended =
        Conditions.find(reconcile.status().conditions(), type.toString())
            .filter(it -> !it.isTrue() && ENDS.contains(String.valueOf(it.reason())));
    if (ended.isPresent()) {
      set(type, false, ended.get().reason(), ended.get().message());
    } else {
      set(type, false, reason, message);
    }
  }

  private void set(FleetConditionType type, boolean value, Object reason, String message) {
    reconcile.condition(type, ConditionStatus.of(value), reason, message);
  }
}
