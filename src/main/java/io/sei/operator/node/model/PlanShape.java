package io.sei.operator.node.model;

/** What a part of a node's plan is to come to, for features to know their steps by. */
public enum PlanShape {
  /** From a new volume to a node that may start. */
  INIT,

  /** From a new volume to a seid that replays up to a height, in a bootstrap Job. */
  JOB,

  /** From a volume that a bootstrap Job has left to a node that may start. */
  AFTER_JOB,

  /** From one pod to another, with the configuration where the spec asks for another one. */
  UPDATE,

  /** Another configuration, or others of the peers in it, for the pod there is. */
  CONFIG,

  /** A sidecar that was started again lets seid start. */
  MARK_READY;

  /** Whether the volume has no configuration yet that counts. */
  public boolean isFirst() {
    return this == INIT || this == JOB || this == AFTER_JOB;
  }

  /** Whether nothing of the chain is on the volume yet. */
  public boolean isOfNewVolume() {
    return this == INIT || this == JOB;
  }
}
