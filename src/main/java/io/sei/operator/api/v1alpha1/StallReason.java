package io.sei.operator.api.v1alpha1;

/** Why a node does not progress: the closed set of reasons of the condition Stalled when True. */
public enum StallReason implements Reason {
  /** The kubelet cannot get an image. */
  IMAGE_PULL("ImagePull"),
  /** A container ends again and again. */
  CRASH_LOOP("CrashLoop"),
  /** seid stopped at an upgrade height that its binary does not know. */
  HALTED_AT_UPGRADE("HaltedAtUpgrade"),
  /** seid refuses to run because its binary already knows an upgrade that is still to come. */
  IMAGE_TOO_EARLY("ImageTooEarly"),
  /** seid halted at the height or time that its own configuration names. */
  HALTED_BY_CONFIGURATION("HaltedByConfiguration"),
  /** seid runs, and has not listened for longer than a start may take. */
  START_DEADLINE_EXCEEDED("StartDeadlineExceeded", Data.MAY_MIGRATE),
  /** seid runs, and gets no further though its peers do. */
  HEIGHT_STANDS_STILL("HeightStandsStill", Data.MAY_MIGRATE),
  /** seid computed another state than the chain has. */
  APP_HASH_MISMATCH("AppHashMismatch"),
  /** A database of seid is damaged, or its databases disagree. */
  DATA_CORRUPT("DataCorrupt"),
  /** The genesis is of another chain than the node. */
  GENESIS_MISMATCH("GenesisMismatch"),
  /** The chain has recent signatures of a validator's key that this node did not make. */
  SIGNING_ELSEWHERE("SigningElsewhere"),
  /** The latest blocks have signatures of a validator's key that it may have made itself. */
  WAITING_OUT_OWN_SIGNATURES("WaitingOutOwnSignatures"),
  /** The Secret holds another signing key than the pod was started for. */
  SIGNING_KEY_CHANGED("SigningKeyChanged"),
  /** Nothing that signs for seid has dialled in. */
  REMOTE_SIGNER_MISSING("RemoteSignerMissing"),
  /** A validator cannot read the record of what it has signed. */
  SIGNING_STATE_UNREADABLE("SigningStateUnreadable"),
  /** seid does not understand its configuration. */
  CONFIG_INVALID("ConfigInvalid"),
  /** A file that seid needs is not there. */
  FILES_MISSING("FilesMissing"),
  /** The Go runtime, or a library, gave up. */
  RUNTIME_CRASH("RuntimeCrash"),
  /** seid needs more memory than it may have. */
  OUT_OF_MEMORY("OutOfMemory"),
  /** seid cannot write, for its volume is full. */
  DISK_FULL("DiskFull"),
  /** Another process uses the data. */
  DATA_LOCKED("DataLocked"),
  /** Another process listens on a port of seid. */
  PORT_TAKEN("PortTaken"),
  /** State sync ended without a state. */
  STATE_SYNC_FAILED("StateSyncFailed"),
  /** State sync has nobody left to ask. */
  PEERS_NONE("PeersNone"),
  /** No Kubernetes node has room for the pod. */
  UNSCHEDULABLE("Unschedulable"),
  /** A running pod cannot get the resources that it is to have. */
  POD_RESIZE_PENDING("PodResizePending"),
  /** The pod's storage is not there. */
  VOLUME_PENDING("VolumePending"),
  /** Nothing tells what a validator has signed: its claim is gone, another one, or a copy. */
  SIGNING_STATE_UNKNOWN("SigningStateUnknown"),
  /** There is no Secret with the signing key. */
  SIGNING_KEY_MISSING("SigningKeyMissing"),
  /** The Secret with the signing key does not hold one. */
  SIGNING_KEY_INVALID("SigningKeyInvalid"),
  /** Another node, or a pod of nobody, signs with the key. */
  SIGNING_KEY_IN_USE("SigningKeyInUse"),
  /** There is no Secret with another key of a validator: its P2P identity, or its keyring. */
  KEY_SECRET_MISSING("KeySecretMissing"),
  /** The Secret with such a key does not hold what a container needs. */
  KEY_SECRET_INVALID("KeySecretInvalid"),
  /** The ConfigMap with the genesis does not hold one. */
  GENESIS_MISSING("GenesisMissing"),
  /** A fleet's genesis cannot be made. */
  CEREMONY_FAILED("CeremonyFailed"),
  /** State sync has fewer nodes to ask than it needs. */
  WITNESSES_MISSING("WitnessesMissing"),
  /** A pod that is being deleted outlived its grace period. */
  POD_TERMINATING("PodTerminating"),
  /** The Kubernetes node under the pod is gone or silent. */
  NODE_LOST("NodeLost"),
  /** The sidecar does not answer. */
  SIDECAR_UNREACHABLE("SidecarUnreachable"),
  /** The proxy in front of the sidecar refuses the operator. */
  SIDECAR_FORBIDDEN("SidecarForbidden"),
  /** A task of the sidecar failed. */
  SIDECAR_TASK_FAILED("SidecarTaskFailed"),
  /** The sidecar is too new, or too old, for a task that the node needs. */
  SIDECAR_UNSUPPORTED("SidecarUnsupported"),
  /** A resource quota forbids the pod, or another object of the node. */
  QUOTA_EXCEEDED("QuotaExceeded"),
  /** The API server refuses a write: admission, rights or validation. */
  APPLY_REFUSED("ApplyRefused"),
  /** The node's StatefulSet belongs to somebody else. */
  STATEFUL_SET_CONFLICT("StatefulSetConflict"),
  /** None of the above was seen. */
  UNKNOWN("Unknown");

  /** What seid may be doing with its data. */
  private enum Data {
    LEFT_ALONE,
    MAY_MIGRATE
  }

  private final String value;
  private final Data data;

  StallReason(String value) {
    this(value, Data.LEFT_ALONE);
  }

  StallReason(String value, Data data) {
    this.value = value;
    this.data = data;
  }

  /** Whether seid may be migrating its data, which an older image would damage. */
  public boolean mayMigrate() {
    return data == Data.MAY_MIGRATE;
  }

  @Override
  public String toString() {
    return value;
  }
}
