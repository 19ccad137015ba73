package io.sei.operator.api.v1alpha1;

/** Conditions of a SeiNodeDeployment. Once set, a condition is never removed. */
public enum FleetConditionType implements ConditionType {
  /**
   * Every node is Ready that is neither paused nor held; NodePaused or NodeHeld if one is. Else
   * ChildConflict, NodesInitializing, the reason for which a write was refused, or the reason of
   * Ready of the worst node; Unknown with TakeoverNotEnabled for a fleet that a Go operator
   * manages.
   */
  READY("Ready"),
  /**
   * At least replicas minus maxUnavailable nodes are Ready, and at least one. Else
   * MinimumNodesUnavailable, Paused.
   */
  AVAILABLE("Available"),
  /**
   * Every node from the partition on runs what the spec asks for, and no rollout is under way; the
   * message names those that the partition keeps on an earlier template. Else RollingOut, Outdated,
   * RolledBack, InvalidSpec, ServiceConflict, or the reason for which a write was refused.
   */
  UP_TO_DATE("UpToDate"),
  /**
   * True is bad: a node that is neither paused nor held, or that was not when it stalled on the
   * template of a rollout, makes no progress, and the reason says why; a node halted for an upgrade
   * that is not listed; the API server refused a write of the fleet; its genesis cannot be made; or
   * the template or its configuration was rolled back (RolledBack). Else NotStalled, Recovering.
   */
  STALLED("Stalled"),
  /**
   * Work is in progress: a rollout, also one that was paused half-way, another configuration, or a
   * node that restarts or syncs; kstatus reads it beside Ready and Stalled. Else UpToDate,
   * PartitionReached, Paused, NodePaused, NodeHeld, or the reason of Stalled.
   */
  RECONCILING("Reconciling"),
  /**
   * Every node is Ready, in the words of the Go operator. Else Paused, NodesFailed, NodesNotReady,
   * NodesInitializing.
   */
  NODES_READY("NodesReady"),
  /** A rollout is under way. Else NotStarted, PlanComplete, or Paused: rollouts are paused. */
  PLAN_IN_PROGRESS("PlanInProgress"),
  /**
   * A new template (TemplateChanged), a configuration (ConfigurationChanged) or an earlier template
   * (RollingBack) is rolled out. Else NotStarted, RolloutComplete, RolledBack, or Paused: rollouts
   * are paused.
   */
  ROLLOUT_IN_PROGRESS("RolloutInProgress"),
  /**
   * Every node is stopped (spec.paused), or rollouts are paused (spec.updateStrategy.paused). Else
   * Pausing, NotPaused.
   */
  PAUSED("Paused"),
  /** Every node is prepared for the upgrades ahead; set once a node has one. */
  UPGRADES_READY("UpgradesReady"),
  /** True is bad: the data of a node goes with its pod. Else NotAtRisk; set once it was True. */
  DATA_VOLUME_AT_RISK("DataVolumeAtRisk"),
  /**
   * Snapshots are taken as scheduled (SnapshotTaken, SnapshotScheduled), or there is no schedule
   * any more (NoSchedule). SnapshotInProgress and SnapshotWaiting are True unless the last attempt
   * failed. Else SnapshotInProgress, SnapshotWaiting, SnapshotFailed, SnapshotClassNotFound,
   * SnapshotApiMissing, SnapshotRefused; set once there was a schedule.
   */
  SNAPSHOTS_HEALTHY("SnapshotsHealthy"),
  /**
   * Never True: this operator makes no public networking. Else NetworkingDisabled, NotSupported, or
   * NotManaged (the Go operator has made it); set once the fleet had spec.networking or such
   * objects.
   */
  NETWORKING_READY("NetworkingReady"),
  /**
   * The genesis of spec.genesis is made; True stays True. Else InProgress, CeremonyFailed,
   * NotSupported, NotApplicable; set once spec.genesis was set.
   */
  GENESIS_CEREMONY_COMPLETE("GenesisCeremonyComplete"),
  /**
   * The chain makes blocks (HeightAdvancing). Else AwaitingFirstBlock, HeightStalled; Unknown with
   * SignalUnreadable (no RPC answers) or NoNodes; set if spec.genesis is set.
   */
  PRODUCING("Producing");

  private final String value;

  FleetConditionType(String value) {
    this.value = value;
  }

  /** The type as it stands in status. */
  @Override
  public String toString() {
    return value;
  }
}
