package io.sei.operator.api.v1alpha1;

/**
 * Reasons of a SeiNode's conditions, apart from those in {@link StallReason}. They are stable, for
 * alerts and scripts are built on them.
 */
public enum NodeReason implements Reason {
  POD_READY("PodReady"),
  POD_NOT_READY("PodNotReady"),
  POD_STARTING("PodStarting"),
  POD_TERMINATING("PodTerminating"),
  POD_REPLACING("PodReplacing"),
  NO_POD("NoPod"),
  BOOTSTRAPPING("Bootstrapping"),
  INVALID_SPEC("InvalidSpec"),
  UP_TO_DATE("UpToDate"),
  PLAN_ACTIVE("PlanActive"),
  PLAN_FAILED("PlanFailed"),
  OUTDATED("Outdated"),
  IMAGE_BEHIND_UPGRADE("ImageBehindUpgrade"),
  NOT_STARTED("NotStarted"),
  UPDATE_STARTED("UpdateStarted"),
  UPDATE_COMPLETE("UpdateComplete"),
  UPDATE_FAILED("UpdateFailed"),
  SIDECAR_READY("Ready"),
  SIDECAR_NOT_READY("NotReady"),
  SIDECAR_UNREACHABLE("Unreachable"),
  SIDECAR_FORBIDDEN("Forbidden"),
  SIDECAR_UNSUPPORTED("SidecarUnsupported"),
  SIDECAR_NOT_PROBED("NotProbed"),
  PAUSED("Paused"),
  PAUSING("Pausing"),
  NOT_PAUSED("NotPaused"),
  STOPPED_FOR_SNAPSHOT("StoppedForSnapshot"),
  HELD("Held"),
  HOLDING("Holding"),
  AWAITING_EXIT("AwaitingExit"),
  NOT_HELD("NotHeld"),
  PROGRESSING("Progressing"),
  RECOVERING("Recovering"),
  NOT_STALLED("NotStalled"),
  TEMPLATE_CHANGED("TemplateChanged"),
  NO_RESTART_PENDING("NoRestartPending"),
  TRACKED("Tracked"),
  CONFLICT("Conflict"),
  GO_OPERATOR_RUNS("GoOperatorRuns"),
  REPLACING("Replacing"),
  NOT_CREATED("NotCreated"),
  UPGRADES_PAUSED("UpgradesPaused"),
  UPGRADE_IMAGE_PULL("ImagePull"),
  LOGS_FORBIDDEN("LogsForbidden"),
  UPGRADES_PENDING("Scheduled"),
  UPGRADES_PREPARED("Prepared"),
  NO_UPGRADES("NoUpgrades"),
  NOT_LISTED("NotListed"),
  NOT_MINOR("NotMinor"),
  RESIZED("Resized"),
  RESIZING("Resizing"),
  FILE_SYSTEM_RESIZE_PENDING("FileSystemResizePending"),
  RESIZE_FAILED("ResizeFailed"),
  RESIZE_REFUSED("ResizeRefused"),
  CANNOT_SHRINK("CannotShrink"),
  STORAGE_CLASS_DIFFERS("StorageClassDiffers"),
  CLAIM_IMPORTED("ClaimImported"),
  LOCAL_DISK("LocalDisk"),
  NOT_PINNED("NotPinned"),
  RESTORED("Restored"),
  CLAIM_EXISTS("ClaimExists"),
  SNAPSHOT_NOT_FOUND("SnapshotNotFound"),
  SNAPSHOT_NOT_READY("SnapshotNotReady"),
  SNAPSHOT_REFUSED("SnapshotRefused"),
  PVC_VALIDATED("PVCValidated"),
  PVC_NOT_READY("PVCNotReady"),
  PVC_INVALID("PVCInvalid"),
  PVC_IN_USE("PVCInUse"),
  SIGNING_KEY_VALIDATED("SigningKeyValidated"),
  SIGNING_KEY_NOT_READY("SigningKeyNotReady"),
  SIGNING_KEY_INVALID("SigningKeyInvalid"),
  IN_USE("InUse"),
  NODE_KEY_VALIDATED("NodeKeyValidated"),
  NODE_KEY_NOT_READY("NodeKeyNotReady"),
  NODE_KEY_INVALID("NodeKeyInvalid"),
  OPERATOR_KEYRING_VALIDATED("OperatorKeyringValidated"),
  OPERATOR_KEYRING_NOT_READY("OperatorKeyringNotReady"),
  OPERATOR_KEYRING_INVALID("OperatorKeyringInvalid"),
  NOT_REFERENCED("NotReferenced"),
  TERMINATING("Terminating");

  private final String value;

  NodeReason(String value) {
    this.value = value;
  }

  @Override
  public String toString() {
    return value;
  }
}
