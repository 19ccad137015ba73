package io.sei.operator.node.model;

/**
 * What decides the conditions of the core: the ranks of each, first the one that goes before all
 * others. {@code node.status} has a verdict of its own at most of them. What a feature offers at a
 * rank goes before that, as it knows more: that seid starts goes before that its pod is not Ready.
 */
public sealed interface Rank {

  /** Of the condition Ready. */
  enum Ready implements Rank {
    POD_READY,
    KEPT_BACK,
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

  /** Of the condition UpToDate. */
  enum UpToDate implements Rank {
    PLAN,
    OBSTACLE,
    IMAGE_BEHIND_UPGRADE,
    OTHER_CLAIM,
    REFUSED,
    DATA_AT_RISK,
    POD
  }

  /** Of the condition Stalled. */
  enum Stalled implements Rank {
    REFUSED,
    WITHOUT_DEADLINE,
    /** It has lasted for minutes, and a pod may be Ready all the while. */
    STANDS_STILL,
    NOT_WAITING,
    FOUND,
    /** The plan has yet to get past the task that an earlier one failed at. */
    RETRIED,
    NOTHING_FOUND,
    /** What is known is neither confirmed nor refuted. */
    NOT_LOOKED_AT,
    /** A cause that goes leaves a node that has yet to show progress, and has time for it again. */
    RESOLVED,
    IN_TIME
  }

  /** Of the condition Paused. */
  enum Paused implements Rank {
    PUT_OFF,
    NOT_PAUSED,
    POD_KEPT,
    STOPPING,
    STOPPED,
    PAUSING,
    PAUSED
  }

  /** Of the condition SidecarReady. */
  enum SidecarReady implements Rank {
    NO_POD,
    UNSUPPORTED,
    /** A plan takes a sidecar through not being ready; that is its business and not reported. */
    NOT_ASKED,
    ANSWERED
  }
}
