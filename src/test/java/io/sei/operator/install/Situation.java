package io.sei.operator.install;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.NodeTaskPhase;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import java.util.List;
import java.util.Objects;

/**
 * Names the row of docs/gitops.md that an object is in. The condition {@code Reconciling}, on which
 * GitOps tools decide, is not read: a node with a plan, or one that does not serve, is in progress
 * whatever that says.
 */
final class Situation {

  static final String READY = "A node or fleet is Ready and runs what its spec asks for";
  static final String ROLLING_OUT = "A rollout is in progress, even while every node is Ready";
  static final String RESTARTING =
      "A node restarts, syncs or is missing, even while rollouts are paused";
  static final String PARTITION_REACHED = "A rollout has reached the partition";
  static final String ROLLOUTS_PAUSED = "Rollouts are paused, and none had begun";
  static final String ROLLOUT_PAUSED = "A rollout is paused halfway";
  static final String PAUSED = "A node or fleet is paused";
  static final String HELD = "A node is held";
  static final String PARTLY_PAUSED =
      "Some nodes of a fleet are paused or held, and the others are Ready";
  static final String HALTED =
      "A node halted at an upgrade height, and the upgrade is listed or the progress deadline has"
          + " not passed";
  static final String HALTED_UNLISTED =
      "A node halted for an upgrade that is not listed, and the progress deadline has passed";
  static final String STALLED = "An object is stalled for another reason";
  static final String INVALID = "A spec is invalid";
  static final String ROLLED_BACK = "A fleet rolled back its template or configuration";
  static final String BEHIND_UPGRADE =
      "`spec.image` of a SeiNode is older than an upgrade that its volume has been through";
  static final String SERVICE_CONFLICT = "The Service of a fleet belongs to another owner";
  static final String TASK_GOES_ON = "A task waits or is being carried out";
  static final String TASK_COMPLETE = "A task is complete";
  static final String TASK_FAILED = "A task has failed";
  static final String NOT_SEEN = "The operator has not seen the object yet";

  private Situation() {}

  /** The row of an object that has a status and is not being deleted. */
  static String of(HasMetadata object) {
    return switch (object) {
      case SeiNode node -> of(node);
      case SeiNodeDeployment fleet -> of(fleet);
      case SeiNodeTask task -> of(task.getStatus());
      default -> throw new IllegalArgumentException(object.getKind() + " has no row");
    };
  }

  private static String of(SeiNode node) {
    SeiNodeStatus status = node.getStatus();
    List<Condition> conditions = status.conditions();
    if (!Objects.equals(status.observedGeneration(), node.getMetadata().getGeneration())) {
      return ROLLING_OUT;
    }
    if (isTrue(conditions, NodeConditionType.STALLED)) {
      return stalled(reason(conditions, NodeConditionType.STALLED));
    }
    if (isTrue(conditions, NodeConditionType.PAUSED)
        && isFor(conditions, NodeConditionType.PAUSED, NodeReason.PAUSED)) {
      return PAUSED;
    }
    if (isFor(conditions, NodeConditionType.UP_TO_DATE, NodeReason.IMAGE_BEHIND_UPGRADE)) {
      return BEHIND_UPGRADE;
    }
    if (isFor(conditions, NodeConditionType.READY, NodeReason.HELD)) {
      return HELD;
    }
    boolean isUpToDate = isTrue(conditions, NodeConditionType.UP_TO_DATE) && status.plan() == null;
    if (isUpToDate && isFor(conditions, NodeConditionType.READY, StallReason.HALTED_AT_UPGRADE)) {
      return HALTED;
    }
    boolean isStopping = isFor(conditions, NodeConditionType.PAUSED, NodeReason.PAUSING);
    if (isStopping || !isTrue(conditions, NodeConditionType.READY)) {
      return RESTARTING;
    }
    return isUpToDate ? READY : ROLLING_OUT;
  }

  private static String of(SeiNodeDeployment fleet) {
    SeiNodeDeploymentStatus status = fleet.getStatus();
    List<Condition> conditions = status.conditions();
    if (!Objects.equals(status.observedGeneration(), fleet.getMetadata().getGeneration())) {
      return ROLLING_OUT;
    }
    if (isTrue(conditions, NodeConditionType.STALLED)) {
      return stalled(reason(conditions, NodeConditionType.STALLED));
    }
    if (isTrue(conditions, NodeConditionType.PAUSED)) {
      if (isFor(conditions, NodeConditionType.READY, FleetReason.PAUSED)) {
        return PAUSED;
      }
      if (isTrue(conditions, NodeConditionType.READY)) {
        return status.pausedRollout() == null ? ROLLOUTS_PAUSED : ROLLOUT_PAUSED;
      }
    }
    if (isFor(conditions, NodeConditionType.UP_TO_DATE, FleetReason.SERVICE_CONFLICT)) {
      return SERVICE_CONFLICT;
    }
    if (status.rollout() != null) {
      return ROLLING_OUT;
    }
    if (isTrue(conditions, NodeConditionType.UP_TO_DATE)
        && isFor(conditions, NodeConditionType.READY, StallReason.HALTED_AT_UPGRADE)) {
      return HALTED;
    }
    boolean isStopping = isFor(conditions, NodeConditionType.PAUSED, FleetReason.PAUSING);
    if (isStopping || !isTrue(conditions, NodeConditionType.READY)) {
      return RESTARTING;
    }
    if (isFor(conditions, NodeConditionType.READY, FleetReason.NODE_PAUSED)
        || isFor(conditions, NodeConditionType.READY, FleetReason.NODE_HELD)) {
      return PARTLY_PAUSED;
    }
    if (isFor(conditions, NodeConditionType.UP_TO_DATE, FleetReason.PARTITION_REACHED)) {
      return PARTITION_REACHED;
    }
    return isTrue(conditions, NodeConditionType.UP_TO_DATE) ? READY : ROLLING_OUT;
  }

  private static String of(SeiNodeTaskStatus status) {
    if (status.observedGeneration() == null) {
      return NOT_SEEN;
    }
    if (status.phase() == NodeTaskPhase.FAILED) {
      return TASK_FAILED;
    }
    if (status.phase() == NodeTaskPhase.COMPLETE) {
      return TASK_COMPLETE;
    }
    boolean isInvalid =
        status.conditions().stream()
            .anyMatch(condition -> condition.isFor(NodeTaskReason.INVALID_SPEC));
    return isInvalid ? INVALID : TASK_GOES_ON;
  }

  private static String stalled(String reason) {
    if (reason.equals(StallReason.INVALID_SPEC.toString())) {
      return INVALID;
    }
    if (reason.equals(StallReason.ROLLED_BACK.toString())) {
      return ROLLED_BACK;
    }
    return reason.equals(StallReason.HALTED_AT_UPGRADE.toString()) ? HALTED_UNLISTED : STALLED;
  }

  private static boolean isTrue(List<Condition> conditions, NodeConditionType type) {
    return Conditions.isTrue(conditions, type);
  }

  private static boolean isFor(List<Condition> conditions, NodeConditionType type, Enum<?> reason) {
    return reason(conditions, type).equals(reason.toString());
  }

  private static String reason(List<Condition> conditions, NodeConditionType type) {
    return Conditions.find(conditions, type).map(Condition::reason).orElse("");
  }
}
