package io.sei.operator.api.v1alpha1;

import java.util.Set;

/**
 * Reasons of a SeiNode's conditions, apart from those in {@link StallReason}. They are stable, for
 * alerts and scripts are built on them.
 */
public enum NodeReason implements Reason {
  POD_READY("PodReady"),
  POD_NOT_READY("PodNotReady"),
  POD_STARTING("PodStarting"),
  STARTING("Starting"),
  RESTART_BACK_OFF("RestartBackOff"),
  POD_TERMINATING("PodTerminating"),
  POD_REPLACING("PodReplacing"),
  NO_POD("NoPod"),
  BOOTSTRAPPING("Bootstrapping"),
  CAUGHT_UP("CaughtUp"),
  CATCHING_UP("CatchingUp"),
  FROZEN("Frozen"),
  NO_PEERS("NoPeers"),
  NOT_ASKED("NotAsked"),
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
  ROLLOUT_RESTART_IGNORED("RolloutRestartIgnored"),
  CONFIGURATION_CHANGED("ConfigurationChanged"),
  NO_RESTART_PENDING("NoRestartPending"),
  TRACKED("Tracked"),
  CONFLICT("Conflict"),
  GO_OPERATOR_RUNS("GoOperatorRuns"),
  TAKEOVER_NOT_ENABLED("TakeoverNotEnabled"),
  REPLACING("Replacing"),
  NOT_CREATED("NotCreated"),
  UPGRADES_PAUSED("UpgradesPaused"),
  UPGRADE_IMAGE_PULL("ImagePull"),
  UPGRADE_IMAGE_UNUSABLE("ImageUnusable"),
  LOGS_FORBIDDEN("LogsForbidden"),
  UPGRADES_PENDING("Scheduled"),
  UPGRADES_PREPARED("Prepared"),
  UPGRADE_PASSED("UpgradePassed"),
  UPGRADE_PROPOSED("UpgradeProposed"),
  NO_UPGRADES("NoUpgrades"),
  NOT_LISTED("NotListed"),
  NOT_MINOR("NotMinor"),
  UPDATES_IN_PLACE("InPlaceIfPossible"),
  UPDATES_RECREATE("Recreate"),
  POD_PATCH_FORBIDDEN("PodPatchForbidden"),
  POD_PATCH_REFUSED("PodPatchRefused"),
  POD_PATCH_CHANGED("PodPatchChanged"),
  EXPORTER_STARTED("ExporterStarted"),
  NO_EXPORTER("NoExporter"),
  EXPORTER_WITHOUT_GRPC("ExporterWithoutGrpc"),
  RESIZED("Resized"),
  FILLING("Filling"),
  RESIZING("Resizing"),
  FILE_SYSTEM_RESIZE_PENDING("FileSystemResizePending"),
  RESIZE_FAILED("ResizeFailed"),
  RESIZE_REFUSED("ResizeRefused"),
  CANNOT_SHRINK("CannotShrink"),
  MAXIMUM_REACHED("MaximumReached"),
  USAGE_UNKNOWN("UsageUnknown"),
  STORAGE_CLASS_DIFFERS("StorageClassDiffers"),
  CLAIM_IMPORTED("ClaimImported"),
  MODIFIED("Modified"),
  MODIFYING("Modifying"),
  MODIFY_PENDING("ModifyPending"),
  MODIFY_FAILED("ModifyFailed"),
  MODIFY_REFUSED("ModifyRefused"),
  LOCAL_DISK("LocalDisk"),
  NOT_PINNED("NotPinned"),
  DATA_VOLUME_AT_RISK("DataVolumeAtRisk"),
  CLAIM_TERMINATING("ClaimTerminating"),
  CLAIM_LOST("ClaimLost"),
  VOLUME_TERMINATING("VolumeTerminating"),
  VOLUME_FAILED("VolumeFailed"),
  VOLUME_RELEASED("VolumeReleased"),
  DATA_VOLUME_RELEASED("DataVolumeReleased"),
  DATA_LOSS_ACCEPTED("DataLossAccepted"),
  NOT_AT_RISK("NotAtRisk"),
  RESTORED("Restored"),
  CLAIM_EXISTS("ClaimExists"),
  SNAPSHOT_NOT_FOUND("SnapshotNotFound"),
  SNAPSHOT_NOT_READY("SnapshotNotReady"),
  SNAPSHOT_REFUSED("SnapshotRefused"),
  PVC_VALIDATED("PVCValidated"),
  PVC_NOT_READY("PVCNotReady"),
  PVC_INVALID("PVCInvalid"),
  PVC_IN_USE("PVCInUse"),
  GENESIS_INSTALLED("GenesisInstalled"),
  SIGNING_KEY_VALIDATED("SigningKeyValidated"),
  SIGNING_KEY_NOT_READY("SigningKeyNotReady"),
  SIGNING_KEY_INVALID("SigningKeyInvalid"),
  SIGNING_KEY_SHARED("SigningKeyShared"),
  SIGNING_KEY_CHANGED("SigningKeyChanged"),
  SIGNING_STATE_MISSING("SigningStateMissing"),
  SIGNING_UNCERTAIN("SigningUncertain"),
  SIGNING_KEY_UNGUARDED("SigningKeyUnguarded"),
  SIGNER_HAS_ANOTHER_KEY("SignerHasAnotherKey"),
  IN_USE("InUse"),
  NODE_KEY_VALIDATED("NodeKeyValidated"),
  NODE_KEY_NOT_READY("NodeKeyNotReady"),
  NODE_KEY_INVALID("NodeKeyInvalid"),
  OPERATOR_KEYRING_VALIDATED("OperatorKeyringValidated"),
  OPERATOR_KEYRING_NOT_READY("OperatorKeyringNotReady"),
  OPERATOR_KEYRING_INVALID("OperatorKeyringInvalid"),
  NOT_REFERENCED("NotReferenced");

  private static final Set<NodeReason> OF_REPLACEMENT =
      Set.of(
          POD_NOT_READY,
          POD_STARTING,
          STARTING,
          POD_TERMINATING,
          POD_REPLACING,
          NO_POD,
          CATCHING_UP);

  private final String value;

  NodeReason(String value) {
    this.value = value;
  }

  /** Returns whether a node that is restarted as planned may be not Ready for a stored reason. */
  public static boolean isOfReplacement(String stored) {
    return OF_REPLACEMENT.stream().anyMatch(reason -> reason.is(stored));
  }

  @Override
  public String toString() {
    return value;
  }
}
