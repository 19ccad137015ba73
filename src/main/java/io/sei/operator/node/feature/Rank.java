package io.sei.operator.node.feature;

/**
 * Precedence of proposals for each condition of the core, highest first. {@code node.status} makes
 * a proposal of its own at most ranks; one that a feature offers at the same rank takes precedence,
 * since it is more specific: "seid is starting" before "the pod is not Ready".
 */
public sealed interface Rank {

  /** Ranks of the condition Ready. */
  enum Ready implements Rank {
    POD_READY,
    HELD,
    FINDING,
    STOPPED,
    PAUSED,
    BOOTSTRAP,
    UPDATE,
    KEY,
    NO_POD,
    POD_TERMINATING,
    POD_NOT_READY
  }

  /** Ranks of the condition UpToDate. */
  enum UpToDate implements Rank {
    PLAN,
    OBSTACLE,
    IMAGE_BEHIND_UPGRADE,
    OTHER_CLAIM,
    REFUSED,
    DATA_AT_RISK,
    POD
  }

  /** Ranks of the condition Stalled. */
  enum Stalled implements Rank {
    REFUSED,
    WITHOUT_DEADLINE,
    /** The height stands still, for minutes; the pod may be Ready. */
    STANDS_STILL,
    NOT_WAITING,
    FOUND,
    /** A retried plan has not passed the task at which the earlier one failed. */
    RETRIED,
    NOTHING_FOUND,
    /** A known cause was neither confirmed nor refuted yet. */
    NOT_LOOKED_AT,
    /** The cause is gone; the node has a new deadline to show progress. */
    RESOLVED,
    IN_TIME
  }

  /** Ranks of the condition Paused. */
  enum Paused implements Rank {
    PUT_OFF,
    NOT_PAUSED,
    POD_KEPT,
    STOPPING,
    STOPPED,
    PAUSING,
    PAUSED
  }

  /** Ranks of the condition SidecarReady. */
  enum SidecarReady implements Rank {
    NO_POD,
    UNSUPPORTED,
    /** A plan takes a sidecar through not being ready; that is its business and not reported. */
    NOT_ASKED,
    ANSWERED
  }
}
