package io.sei.operator.api.v1alpha1;

import java.util.List;

/** Conditions of a SeiNode. Once set, a condition is never removed. */
public enum NodeConditionType implements ConditionType {
  /**
   * The pod serves, on any image. Else PodNotReady, PodReplacing, PodTerminating, NoPod, Starting,
   * CatchingUp, RestartBackOff, Bootstrapping, HaltedAtUpgrade, StoppedForSnapshot, Paused, Held,
   * InvalidSpec, the reason of SigningKeyReady, NodeKeyReady or OperatorKeyringReady if there is no
   * pod for it, or a reason of Stalled, also before Stalled is True; Unknown with
   * TakeoverNotEnabled for a node that a Go operator manages.
   */
  READY("Ready"),
  /**
   * By its own RPC the node is at most 300 blocks behind its peers, or is Frozen at its
   * freeze.height. Else CatchingUp, NoPeers; Unknown with NotAsked or SeidNotResponding; set once
   * its RPC has answered.
   */
  CAUGHT_UP("CaughtUp"),
  /**
   * The pod runs the template of the spec, and no plan is active; also while the node is halted at
   * an upgrade. Else PlanActive, PlanFailed, Outdated, ImageBehindUpgrade, Conflict,
   * DataVolumeAtRisk, SigningStateUnknown, or the reason of Stalled.
   */
  UP_TO_DATE("UpToDate"),
  /** An update plan is active. Else UpdateComplete, UpdateFailed, NotStarted. */
  NODE_UPDATE_IN_PROGRESS("NodeUpdateInProgress"),
  /**
   * The sidecar lets seid run. Else NotReady (seid waits for the operator), Held, or
   * SidecarUnsupported; Unknown with Unreachable, Forbidden, NoPod, or NotProbed: the pod is new,
   * or the operator must not send it anything. During a plan it keeps its value until the sidecar
   * lets seid run.
   */
  SIDECAR_READY("SidecarReady"),
  /**
   * The pod is gone, since spec.paused is set or for a snapshot (StoppedForSnapshot); the volume
   * stays. Else Pausing, NotPaused, or DataVolumeAtRisk: the operator does not end the pod.
   */
  PAUSED("Paused"),
  /**
   * seid has ended for spec.maintenance.hold, or since its key signs elsewhere, and cannot start;
   * the pod stays for the user's work. Else AwaitingExit, Holding (seid may still run), NotHeld,
   * Paused (there is no pod), or DataVolumeAtRisk: the operator does not end the pod.
   */
  HELD("Held"),
  /**
   * True is bad: the node makes no progress. The message has the evidence, and each reason a
   * runbook. Else NotStalled, Progressing (it waits within the deadline), or Recovering.
   */
  STALLED("Stalled"),
  /**
   * Work is in progress: an update, a restart, a sync, or a halt that ends without help; kstatus
   * reads it beside Ready and Stalled. Else UpToDate, Paused, Held, or the reason of Stalled.
   */
  RECONCILING("Reconciling"),
  /**
   * The pod runs an older template (TemplateChanged), or seid an older configuration
   * (ConfigurationChanged), and no restart is due; or kubectl rollout restart was used, which
   * restarts no node (RolloutRestartIgnored). Else NoRestartPending.
   */
  RESTART_PENDING("RestartPending"),
  /**
   * The StatefulSet exists and is this node's. Else Conflict, GoOperatorRuns, Replacing,
   * NotCreated.
   */
  STATEFUL_SET_READY("StatefulSetReady"),
  /**
   * Nothing is known that keeps the node from passing the next upgrade by itself: Prepared once
   * every image is pulled and the files of seid fit; before that Scheduled. UpgradeProposed,
   * UpgradePassed and NoUpgrades are True too. Else NotListed, ImageForbidden, ImagePull,
   * ImageUnusable, ImageMismatch, ConfigFileMissing, ConfigurationRefused, LogsForbidden, NotMinor,
   * UpgradesPaused; set once the node has an upgrade ahead.
   */
  UPGRADES_READY("UpgradesReady"),
  /**
   * Updates change the pod in place where they can. Else PodPatchForbidden, PodPatchRefused,
   * PodPatchChanged, Recreate; set once updatePolicy.pod was InPlaceIfPossible.
   */
  UPDATES_IN_PLACE("UpdatesInPlace"),
  /**
   * The data volume has the size that the spec asks for, also with Filling: full within a week.
   * Else Resizing, FileSystemResizePending, ResizeFailed, ResizeRefused, CannotShrink,
   * MaximumReached, UsageUnknown, StorageClassDiffers, ClaimImported; set if the spec asks for a
   * size or class.
   */
  DATA_VOLUME_RESIZED("DataVolumeResized"),
  /**
   * The data volume has the VolumeAttributesClass of the spec. Else Modifying, ModifyPending,
   * ModifyFailed, ModifyRefused; set once the spec has named one.
   */
  DATA_VOLUME_MODIFIED("DataVolumeModified"),
  /**
   * The exporter of chain metrics reads seid's gRPC API, or the pod has none. Else
   * ExporterWithoutGrpc: it waits for seid to serve that; set once the exporter has waited.
   */
  EXPORTER_READY("ExporterReady"),
  /** Only one Kubernetes node can use the data volume. Else NotPinned; set once it was True. */
  DATA_VOLUME_PINNED("DataVolumePinned"),
  /**
   * True is bad: the chain data goes with the pod, which the operator therefore does not end
   * (ClaimTerminating, ClaimLost, VolumeTerminating, VolumeFailed, VolumeReleased), or is on a
   * volume without a claim (DataVolumeReleased). Else NotAtRisk, DataLossAccepted; set once it was
   * True.
   */
  DATA_VOLUME_AT_RISK("DataVolumeAtRisk"),
  /**
   * The claim in spec.dataVolume.import is usable. Else PVCNotReady, PVCInvalid, or PVCInUse by
   * another node.
   */
  IMPORT_PVC_READY("ImportPVCReady"),
  /**
   * The claim was made from a VolumeSnapshot. Else SnapshotNotFound, SnapshotNotReady,
   * SnapshotRefused (another chain, an unknown image, too old), ClaimExists (it is used as it is).
   */
  DATA_VOLUME_RESTORED("DataVolumeRestored"),
  /**
   * The volume has the genesis of the ConfigMap that the spec names. Else GenesisMissing,
   * GenesisMismatch; set if the spec names one.
   */
  GENESIS_READY("GenesisReady"),
  /**
   * The Secret has the signing key that the validator's pod needs. Else SigningKeyNotReady,
   * SigningKeyInvalid, InUse (by another node), PodTerminating (its last pod), SigningKeyShared
   * (critical: two pods may sign), SigningKeyChanged (the Secret has the key of another node),
   * SigningStateMissing, SigningUncertain, SigningKeyUnguarded, SignerHasAnotherKey (than
   * remoteSigner.publicKey); Unknown with NotReferenced.
   */
  SIGNING_KEY_READY("SigningKeyReady"),
  /**
   * The Secret has the node key. Else NodeKeyNotReady, NodeKeyInvalid; Unknown with NotReferenced.
   */
  NODE_KEY_READY("NodeKeyReady"),
  /**
   * The Secret has the operator keyring. Else OperatorKeyringNotReady, OperatorKeyringInvalid;
   * Unknown with NotReferenced.
   */
  OPERATOR_KEYRING_READY("OperatorKeyringReady");

  /** Conditions of the Secrets that a spec refers to. */
  public static final List<NodeConditionType> OF_KEYS =
      List.of(SIGNING_KEY_READY, NODE_KEY_READY, OPERATOR_KEYRING_READY);

  private final String value;

  NodeConditionType(String value) {
    this.value = value;
  }

  /** The type as it stands in status. */
  @Override
  public String toString() {
    return value;
  }
}
