package io.sei.operator.api.v1alpha1;

/**
 * Reasons of a SeiNodeDeployment's conditions, apart from those it takes over from its nodes. They
 * are stable, for alerts and scripts are built on them.
 */
public enum FleetReason implements Reason {
  ALL_NODES_READY("AllNodesReady"),
  NODES_INITIALIZING("NodesInitializing"),
  NODES_FAILED("NodesFailed"),
  NODES_NOT_READY("NodesNotReady"),
  MINIMUM_NODES_AVAILABLE("MinimumNodesAvailable"),
  MINIMUM_NODES_UNAVAILABLE("MinimumNodesUnavailable"),
  UP_TO_DATE("UpToDate"),
  OUTDATED("Outdated"),
  ROLLING_OUT("RollingOut"),
  CHILD_CONFLICT("ChildConflict"),
  SERVICE_CONFLICT("ServiceConflict"),
  NOT_STALLED("NotStalled"),
  RECOVERING("Recovering"),
  NOT_STARTED("NotStarted"),
  PLAN_STARTED("PlanStarted"),
  PLAN_COMPLETE("PlanComplete"),
  TEMPLATE_CHANGED("TemplateChanged"),
  CONFIGURATION_CHANGED("ConfigurationChanged"),
  ROLLING_BACK("RollingBack"),
  ROLLOUT_COMPLETE("RolloutComplete"),
  ROLLED_BACK("RolledBack"),
  PARTITION_REACHED("PartitionReached"),
  PAUSED("Paused"),
  PAUSING("Pausing"),
  NOT_PAUSED("NotPaused"),
  NOT_SUPPORTED("NotSupported"),
  NOT_MANAGED("NotManaged"),
  TAKEOVER_NOT_ENABLED("TakeoverNotEnabled"),
  NETWORKING_DISABLED("NetworkingDisabled"),
  NOT_APPLICABLE("NotApplicable"),
  COMPLETE("Complete"),
  IN_PROGRESS("InProgress"),
  NODE_PAUSED("NodePaused"),
  NODE_HELD("NodeHeld"),
  DATA_VOLUME_AT_RISK("DataVolumeAtRisk"),
  NOT_AT_RISK("NotAtRisk"),
  SNAPSHOT_SCHEDULED("SnapshotScheduled"),
  SNAPSHOT_WAITING("SnapshotWaiting"),
  SNAPSHOT_IN_PROGRESS("SnapshotInProgress"),
  SNAPSHOT_TAKEN("SnapshotTaken"),
  SNAPSHOT_FAILED("SnapshotFailed"),
  SNAPSHOT_REFUSED("SnapshotRefused"),
  SNAPSHOT_API_MISSING("SnapshotApiMissing"),
  SNAPSHOT_CLASS_NOT_FOUND("SnapshotClassNotFound"),
  NO_SCHEDULE("NoSchedule"),
  HEIGHT_ADVANCING("HeightAdvancing"),
  HEIGHT_STALLED("HeightStalled"),
  AWAITING_FIRST_BLOCK("AwaitingFirstBlock"),
  SIGNAL_UNREADABLE("SignalUnreadable"),
  NO_NODES("NoNodes"),
  SET_BY_HAND("SetByHand");

  private final String value;

  FleetReason(String value) {
    this.value = value;
  }

  @Override
  public String toString() {
    return value;
  }
}
