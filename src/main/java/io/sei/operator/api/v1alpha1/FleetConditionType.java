package io.sei.operator.api.v1alpha1;

/** Conditions of a SeiNodeDeployment. Once set, a condition is never removed. */
public enum FleetConditionType implements ConditionType {
  /**
   * Every node is Ready that is neither paused nor held (NodePaused, NodeHeld: one is). Else
   * ChildConflict, NodesInitializing, or the reason of the worst node; Unknown with
   * TakeoverNotEnabled for a fleet of a Go operator.
   */
  READY("Ready"),
  /**
   * At least as many nodes are Ready as a rollout leaves, and never fewer than one. Else
   * MinimumNodesUnavailable, Paused.
   */
  AVAILABLE("Available"),
  /**
   * Every node that the partition lets roll runs what the spec asks for, and no rollout is under
   * way; the message names those that the partition keeps on an earlier template. Else RollingOut,
   * Outdated, RolledBack, InvalidSpec, ServiceConflict.
   */
  UP_TO_DATE("UpToDate"),
  /**
   * True is bad: a node that is neither paused nor held makes no progress, and the reason says why;
   * or the template or its configuration was rolled back (RolledBack).
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
  /** A plan is active. */
  PLAN_IN_PROGRESS("PlanInProgress"),
  /** A new template (TemplateChanged) or configuration (ConfigurationChanged) is rolled out. */
  ROLLOUT_IN_PROGRESS("RolloutInProgress"),
  /** The deployment or its rollouts are paused at the user's wish. */
  PAUSED("Paused"),
  /** Every node is prepared for the upgrades ahead; there once a node has any. */
  UPGRADES_READY("UpgradesReady"),
  /** True is bad: the data of a node goes with its pod; there once that was so. */
  DATA_VOLUME_AT_RISK("DataVolumeAtRisk"),
  /**
   * Snapshots are taken as scheduled (SnapshotTaken, SnapshotScheduled). Else SnapshotInProgress,
   * SnapshotWaiting, SnapshotFailed, SnapshotClassNotFound, SnapshotApiMissing, SnapshotRefused,
   * NoSchedule; there once a schedule was set.
   */
  SNAPSHOTS_HEALTHY("SnapshotsHealthy"),
  /**
   * Public networking is in place, which this operator does not make. Else NetworkingDisabled,
   * NotSupported, or NotManaged: it is the Go operator's; there once a fleet had to do with it.
   */
  NETWORKING_READY("NetworkingReady"),
  /** The genesis of spec.genesis is made; True is never lowered; there once that was set. */
  GENESIS_CEREMONY_COMPLETE("GenesisCeremonyComplete"),
  /**
   * The chain makes blocks (HeightAdvancing). Else AwaitingFirstBlock, HeightStalled,
   * SignalUnreadable, NoNodes; there if spec.genesis is set.
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
