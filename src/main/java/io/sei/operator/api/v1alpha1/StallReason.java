package io.sei.operator.api.v1alpha1;

import java.util.Set;

/** Why a node does not progress: the closed set of reasons of the condition Stalled when True. */
public enum StallReason implements Reason {
  /** The spec breaks a rule, or cannot be read. */
  INVALID_SPEC("InvalidSpec", Origin.TEMPLATE),
  /** The kubelet cannot get an image. */
  IMAGE_PULL("ImagePull", Origin.IMAGE),
  /** The kubelet cannot reach the registry of an image. */
  REGISTRY_UNREACHABLE("RegistryUnreachable", Origin.NETWORK),
  /** A container crashes again and again. */
  CRASH_LOOP("CrashLoop", Origin.UNKNOWN),
  /** seid stopped at an upgrade height that its binary does not know. */
  HALTED_AT_UPGRADE("HaltedAtUpgrade", Origin.CHAIN),
  /** seid refuses to run because its binary already knows an upgrade that is still to come. */
  IMAGE_TOO_EARLY("ImageTooEarly", Origin.CHAIN),
  /** seid halted at the height or time that its own configuration names. */
  HALTED_BY_CONFIGURATION("HaltedByConfiguration", Origin.CHAIN),
  /** seid runs, and has not listened for longer than a start may take. */
  START_DEADLINE_EXCEEDED("StartDeadlineExceeded", Origin.DATA),
  /** seid runs, and its RPC no longer answers. */
  SEID_NOT_RESPONDING("SeidNotResponding", Origin.UNKNOWN),
  /** seid runs, and its height stands still though its peers go on. */
  HEIGHT_STANDS_STILL("HeightStandsStill", Origin.CHAIN),
  /** seid computed another state than the chain has. */
  APP_HASH_MISMATCH("AppHashMismatch", Origin.DATA),
  /** A database of seid is damaged, or its databases disagree. */
  DATA_CORRUPT("DataCorrupt", Origin.DATA),
  /** The disk under the data answers with errors, or has become read-only. */
  DISK_FAILING("DiskFailing", Origin.DATA),
  /** The genesis is of another chain than the node. */
  GENESIS_MISMATCH("GenesisMismatch", Origin.DATA),
  /** The chain has recent signatures of a validator's key that this node did not make. */
  SIGNING_ELSEWHERE("SigningElsewhere", Origin.KEYS),
  /** The latest blocks have signatures of a validator's key that it may have made itself. */
  WAITING_OUT_OWN_SIGNATURES("WaitingOutOwnSignatures", Origin.KEYS),
  /** The Secret holds another signing key than the pod was started for. */
  SIGNING_KEY_CHANGED("SigningKeyChanged", Origin.KEYS),
  /** No remote signer has connected to seid. */
  REMOTE_SIGNER_MISSING("RemoteSignerMissing", Origin.KEYS),
  /** A validator cannot read the record of what it has signed. */
  SIGNING_STATE_UNREADABLE("SigningStateUnreadable", Origin.KEYS),
  /** seid does not understand its configuration. */
  CONFIG_INVALID("ConfigInvalid", Origin.TEMPLATE),
  /** A file that seid needs is not there. */
  FILES_MISSING("FilesMissing", Origin.UNKNOWN),
  /** The Go runtime, or a library, gave up. */
  RUNTIME_CRASH("RuntimeCrash", Origin.IMAGE),
  /** seid needs more memory than it may have. */
  OUT_OF_MEMORY("OutOfMemory", Origin.TEMPLATE),
  /** The machine has no thread, process id or file handle left for seid. */
  MACHINE_LIMIT_REACHED("MachineLimitReached", Origin.MACHINE),
  /** seid cannot write, for its volume is full. */
  DISK_FULL("DiskFull", Origin.DATA),
  /** Another process uses the data. */
  DATA_LOCKED("DataLocked", Origin.DATA),
  /** Another process listens on a port of seid. */
  PORT_TAKEN("PortTaken", Origin.MACHINE),
  /** A host name that seid needs at its start does not resolve. */
  NAME_NOT_RESOLVED("NameNotResolved", Origin.NETWORK),
  /** State sync ended without a state. */
  STATE_SYNC_FAILED("StateSyncFailed", Origin.NETWORK),
  /** State sync has no peer left to ask. */
  PEERS_NONE("PeersNone", Origin.NETWORK),
  /** The scheduler finds no Kubernetes node with room for the pod. */
  UNSCHEDULABLE("Unschedulable", Origin.TEMPLATE),
  /** The machine cannot give a running pod its new resources. */
  POD_RESIZE_PENDING("PodResizePending", Origin.TEMPLATE),
  /** A volume of the pod is not bound or not mounted. */
  VOLUME_PENDING("VolumePending", Origin.MACHINE),
  /** A Secret or ConfigMap that the pod mounts does not exist. */
  MOUNT_SOURCE_MISSING("MountSourceMissing", Origin.TEMPLATE),
  /** The kubelet has not started the containers of the pod: volumes, sandbox or images. */
  POD_NOT_STARTED("PodNotStarted", Origin.MACHINE),
  /** The kubelet rejected or evicted the pod. */
  POD_FAILED("PodFailed", Origin.MACHINE),
  /**
   * No record of a validator's signatures exists: its claim is gone, was replaced, or is a copy.
   */
  SIGNING_STATE_UNKNOWN("SigningStateUnknown", Origin.KEYS),
  /** There is no Secret with the signing key. */
  SIGNING_KEY_MISSING("SigningKeyMissing", Origin.KEYS),
  /** The Secret with the signing key does not hold one. */
  SIGNING_KEY_INVALID("SigningKeyInvalid", Origin.KEYS),
  /** Another node, or a pod without a node, signs with the key. */
  SIGNING_KEY_IN_USE("SigningKeyInUse", Origin.KEYS),
  /** There is no Secret with another key of a validator: its P2P identity, or its keyring. */
  KEY_SECRET_MISSING("KeySecretMissing", Origin.KEYS),
  /** The Secret with such a key does not hold what a container needs. */
  KEY_SECRET_INVALID("KeySecretInvalid", Origin.KEYS),
  /** The ConfigMap with the genesis does not hold one. */
  GENESIS_MISSING("GenesisMissing", Origin.CHAIN),
  /** A fleet went back to its previous template, or configuration, as nodes stalled on this one. */
  ROLLED_BACK("RolledBack", Origin.TEMPLATE),
  /** A fleet's genesis cannot be made. */
  CEREMONY_FAILED("CeremonyFailed", Origin.CHAIN),
  /** State sync has fewer nodes to ask than it needs. */
  WITNESSES_MISSING("WitnessesMissing", Origin.NETWORK),
  /** A pod that is being deleted outlived its grace period. */
  POD_TERMINATING("PodTerminating", Origin.MACHINE),
  /** The Kubernetes node under the pod is gone or silent. */
  NODE_LOST("NodeLost", Origin.MACHINE),
  /** The sidecar does not answer. */
  SIDECAR_UNREACHABLE("SidecarUnreachable", Origin.UNKNOWN),
  /** The proxy in front of the sidecar refuses the operator. */
  SIDECAR_FORBIDDEN("SidecarForbidden", Origin.KEYS),
  /** The operator sends the sidecar nothing: the pod may be another one, or has to be replaced. */
  SIDECAR_NOT_ASKED("SidecarNotAsked", Origin.KEYS),
  /** A task of the sidecar failed. */
  SIDECAR_TASK_FAILED("SidecarTaskFailed", Origin.UNKNOWN),
  /** The sidecar is too new, or too old, for a task that the node needs. */
  SIDECAR_UNSUPPORTED("SidecarUnsupported", Origin.TEMPLATE),
  /** A resource quota forbids the pod, or another object of the node. */
  QUOTA_EXCEEDED("QuotaExceeded", Origin.TEMPLATE),
  /** The API server refuses a write: admission, rights or validation. */
  APPLY_REFUSED("ApplyRefused", Origin.TEMPLATE),
  /** The node's StatefulSet belongs to another owner. */
  STATEFUL_SET_CONFLICT("StatefulSetConflict", Origin.KEYS),
  /** None of the above was seen. */
  UNKNOWN("Unknown", Origin.UNKNOWN);

  /** Possible origin of a stall. Images and templates are rolled back. */
  public enum Origin {
    /** The image, as it is in the registry. */
    IMAGE,
    /** A field of the template. */
    TEMPLATE,
    /** A Kubernetes node, its disks and its kubelet. */
    MACHINE,
    /** The connection between the node and registries, peers or name servers. */
    NETWORK,
    /** The data on the node's volume: an older image may damage it. */
    DATA,
    /** Keys and rights. */
    KEYS,
    /** The state of the chain, which is the same for every image. */
    CHAIN,
    /** The evidence fits an image or template as well as something else. */
    UNKNOWN
  }

  private static final Set<StallReason> OF_PLANS =
      Set.of(
          STATEFUL_SET_CONFLICT,
          SIDECAR_UNSUPPORTED,
          POD_RESIZE_PENDING,
          SIGNING_ELSEWHERE,
          SIGNING_STATE_UNKNOWN,
          SIGNING_KEY_INVALID,
          KEY_SECRET_INVALID);

  private static final Set<StallReason> OF_CONFIGURATION =
      Set.of(
          CONFIG_INVALID,
          CRASH_LOOP,
          FILES_MISSING,
          OUT_OF_MEMORY,
          PORT_TAKEN,
          RUNTIME_CRASH,
          SEID_NOT_RESPONDING,
          UNKNOWN);

  private final String value;
  private final Origin origin;

  StallReason(String value, Origin origin) {
    this.value = value;
    this.origin = origin;
  }

  /** Returns the possible origin. */
  public Origin origin() {
    return origin;
  }

  /** Returns whether the previous image or template may run where this one stalls. */
  public boolean mayRollbackHelp() {
    return this != ROLLED_BACK
        && (origin == Origin.IMAGE || origin == Origin.TEMPLATE || origin == Origin.UNKNOWN);
  }

  /** Returns whether a new image or template may be the cause, also where no rollback helps. */
  public boolean mayBeOfTemplate() {
    return origin != Origin.MACHINE && origin != Origin.NETWORK;
  }

  /** Returns whether a plan cannot pass it, whatever becomes of the pod. */
  public boolean stopsPlan() {
    return OF_PLANS.contains(this);
  }

  /** Returns whether seid may die of it for what its configuration files have. */
  public boolean mayBeOfConfiguration() {
    return OF_CONFIGURATION.contains(this);
  }

  /** The reason with this name; {@link #UNKNOWN} for a name that is none. */
  public static StallReason named(String value) {
    for (StallReason reason : values()) {
      if (reason.is(value)) {
        return reason;
      }
    }
    return UNKNOWN;
  }

  @Override
  public String toString() {
    return value;
  }
}
