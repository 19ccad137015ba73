package io.sei.operator.deployment;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.DeploymentConditionType;
import io.sei.operator.api.v1alpha1.DeploymentReason;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Says in conditions what came of a reconcile of a deployment. */
final class DeploymentConditions {

  /** How plans and rollouts end; what else a condition says of them is not ours. */
  private static final Set<String> ENDS =
      Set.of(
          DeploymentReason.PLAN_COMPLETE.toString(),
          DeploymentReason.ROLLOUT_COMPLETE.toString(),
          DeploymentReason.ROLLED_BACK.toString());

  private final DeploymentWork work;
  private final List<FleetNode> fleet;
  private final Optional<Finding> refusal;

  private DeploymentConditions(DeploymentWork work) {
    this.work = work;
    this.fleet = work.snapshot().fleet();
    this.refusal = work.refusals().message().map(Diagnosis::refused);
  }

  /** Sets every condition of the status to be written. */
  static void derive(DeploymentWork work) {
    var conditions = new DeploymentConditions(work);
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
    DeploymentConditionType type = DeploymentConditionType.READY;
    if (!work.conflicts().isEmpty()) {
      set(type, false, DeploymentReason.CHILD_CONFLICT, String.join("; ", work.conflicts()));
    } else if (isComplete() && worst.isEmpty()) {
      set(type, true, DeploymentReason.ALL_NODES_READY, counted());
    } else if (worst.isPresent()) {
      FleetNode node = worst.get();
      Object reason =
          Objects.requireNonNullElse(node.readyReason(), DeploymentReason.NODES_INITIALIZING);
      set(type, false, reason, counted() + "; worst is " + node.name());
    } else if (refusal.isPresent()) {
      set(type, false, refusal.get().reason(), counted() + "; " + refusal.get().message());
    } else {
      set(type, false, DeploymentReason.NODES_INITIALIZING, counted());
    }
  }

  private void nodesReady() {
    DeploymentConditionType type = DeploymentConditionType.NODES_READY;
    if (work.snapshot().isPaused()) {
      set(type, false, DeploymentReason.PAUSED, counted());
    } else if (fleet.stream().anyMatch(node -> node.phase() == NodePhase.FAILED)) {
      set(type, false, DeploymentReason.NODES_FAILED, counted());
    } else if (isComplete() && worst().isEmpty()) {
      set(type, true, DeploymentReason.ALL_NODES_READY, counted());
    } else if (fleet.stream().allMatch(node -> node.phase() == NodePhase.RUNNING)) {
      set(type, false, DeploymentReason.NODES_NOT_READY, counted());
    } else {
      set(type, false, DeploymentReason.NODES_INITIALIZING, counted());
    }
  }

  private void stalled() {
    Optional<FleetNode> stalled =
        work.verdict()
            .flatMap(RolloutPolicy.Verdict::stalled)
            .or(() -> fleet.stream().filter(node -> node.stall() != null).findFirst());
    DeploymentConditionType type = DeploymentConditionType.STALLED;
    if (refusal.isPresent()) {
      set(type, true, refusal.get().reason(), refusal.get().message());
    } else if (stalled.isPresent()) {
      FleetNode node = stalled.get();
      set(type, true, node.stall(), node.name() + ": " + node.stallMessage());
    } else {
      set(type, false, DeploymentReason.NOT_STALLED, "no node is stalled");
    }
  }

  private void upToDate() {
    SeiNodeDeploymentStatus status = work.status();
    DeploymentConditionType type = DeploymentConditionType.UP_TO_DATE;
    if (refusal.isPresent()) {
      set(type, false, refusal.get().reason(), refusal.get().message());
    } else if (work.serviceConflict().isPresent()) {
      set(type, false, DeploymentReason.SERVICE_CONFLICT, work.serviceConflict().get());
    } else if (status.failedTemplateHash() != null) {
      set(
          type,
          false,
          DeploymentReason.ROLLED_BACK,
          "template " + status.failedTemplateHash() + " was rolled back; change it to try again");
    } else if (status.rollout() == null && isComplete() && allUpdated()) {
      set(type, true, DeploymentReason.UP_TO_DATE, "every node runs what the spec asks for");
    } else {
      set(type, false, DeploymentReason.OUTDATED, "updated " + status.updated());
    }
  }

  private boolean allUpdated() {
    int partition = work.snapshot().limits().partition();
    return fleet.stream()
        .filter(node -> node.ordinal() >= partition)
        .allMatch(node -> node.runs(work.snapshot().templateHash()));
  }

  private void planInProgress() {
    DeploymentConditionType type = DeploymentConditionType.PLAN_IN_PROGRESS;
    boolean active = work.status().plan() != null && work.status().plan().isActive();
    boolean wasActive = work.snapshot().status().plan() != null;
    if (active) {
      set(type, true, DeploymentReason.PLAN_STARTED, "rolling out");
    } else if (work.snapshot().isHeld()) {
      set(type, false, DeploymentReason.PAUSED, "plans are held");
    } else if (wasActive) {
      set(type, false, DeploymentReason.PLAN_COMPLETE, "the plan is complete");
    } else {
      keepOr(type, DeploymentReason.NOT_STARTED, "no plan has been needed");
    }
  }

  private void rolloutInProgress() {
    DeploymentConditionType type = DeploymentConditionType.ROLLOUT_IN_PROGRESS;
    Rollout rollout = work.status().rollout();
    Rollout before = work.snapshot().status().rollout();
    boolean back = work.status().failedTemplateHash() != null;
    if (rollout != null) {
      set(
          type,
          true,
          back ? DeploymentReason.ROLLING_BACK : DeploymentReason.TEMPLATE_CHANGED,
          rollingOut(rollout.targetHash(), back));
    } else if (work.snapshot().isHeld()) {
      set(type, false, DeploymentReason.PAUSED, "rollouts are held");
    } else if (before != null) {
      set(
          type,
          false,
          back ? DeploymentReason.ROLLED_BACK : DeploymentReason.ROLLOUT_COMPLETE,
          work.snapshot().describe(before.targetHash()) + (back ? " is back" : " is rolled out"));
    } else {
      keepOr(type, DeploymentReason.NOT_STARTED, "no rollout has been needed");
    }
  }

  private String rollingOut(String target, boolean back) {
    DeploymentSnapshot snapshot = work.snapshot();
    return back
        ? "%s stalled; rolling back to %s"
            .formatted(snapshot.describe(snapshot.templateHash()), snapshot.describe(target))
        : "rolling out " + snapshot.describe(target);
  }

  private void paused() {
    boolean held = work.snapshot().isHeld();
    long running = fleet.stream().filter(node -> !node.stopped()).count();
    if (work.snapshot().isPaused() && running > 0) {
      set(
          DeploymentConditionType.PAUSED,
          false,
          DeploymentReason.PAUSING,
          "spec.paused is true; nodes that have yet to stop: " + running);
      return;
    }
    set(
        DeploymentConditionType.PAUSED,
        held,
        held ? DeploymentReason.PAUSED : DeploymentReason.NOT_PAUSED,
        work.snapshot().isPaused()
            ? "spec.paused is true: every node is stopped"
            : held
                ? "spec.updateStrategy.paused is true: rollouts are held, nodes run"
                : "nothing is paused");
  }

  private void networkingReady() {
    DeploymentConditionType type = DeploymentConditionType.NETWORKING_READY;
    Optional<String> inherited = work.inherited().words();
    String trouble = work.inheritedTrouble().map(it -> "; the API server says: " + it).orElse("");
    if (inherited.isPresent()) {
      set(
          type,
          false,
          DeploymentReason.NOT_MANAGED,
          "made by the Go operator, kept and not managed by this one: "
              + inherited.get()
              + trouble);
    } else if (work.deployment().getSpec().networking() != null) {
      set(
          type,
          false,
          DeploymentReason.NOT_SUPPORTED,
          "spec.networking is accepted but not carried out by this operator yet" + trouble);
    } else {
      set(
          type,
          false,
          DeploymentReason.NETWORKING_DISABLED,
          "spec.networking is not set" + trouble);
    }
  }

  /** A ceremony that the Go operator completed stays complete: its chain is there. */
  private void genesisCeremonyComplete() {
    DeploymentConditionType type = DeploymentConditionType.GENESIS_CEREMONY_COMPLETE;
    Optional<Condition> complete =
        Conditions.find(work.status().conditions(), type.toString()).filter(Condition::isTrue);
    boolean genesis = work.deployment().getSpec().genesis() != null;
    if (complete.isPresent()) {
      Object reason =
          Objects.requireNonNullElse(complete.get().reason(), DeploymentReason.COMPLETE);
      set(type, true, reason, complete.get().message());
    } else if (genesis) {
      set(
          type,
          false,
          DeploymentReason.NOT_SUPPORTED,
          "spec.genesis is accepted but not carried out by this operator yet");
    } else {
      set(type, false, DeploymentReason.NOT_APPLICABLE, "spec.genesis is not set");
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
    return fleet.size() == work.snapshot().replicas();
  }

  private String counted() {
    return work.status().readyReplicas() + "/" + work.snapshot().replicas() + " nodes ready";
  }

  private void keepOr(DeploymentConditionType type, DeploymentReason reason, String message) {
    Optional<Condition> ended =
        Conditions.find(work.status().conditions(), type.toString())
            .filter(it -> !it.isTrue() && ENDS.contains(String.valueOf(it.reason())));
    if (ended.isPresent()) {
      set(type, false, ended.get().reason(), ended.get().message());
    } else {
      set(type, false, reason, message);
    }
  }

  private void set(DeploymentConditionType type, boolean value, Object reason, String message) {
    work.condition(type, ConditionStatus.of(value), reason, message);
  }
}
