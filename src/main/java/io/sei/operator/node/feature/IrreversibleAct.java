package io.sei.operator.node.feature;

/** Acts that cannot be undone, and that a feature may veto. */
public enum IrreversibleAct {
  /**
   * A StatefulSet is applied that has a pod or will have one, or that a paused node scales to 0.
   */
  START_POD,

  /**
   * Seid is ended for another template, image or configuration, in a pod that stays or in one that
   * gives way. No user asked for that end itself.
   */
  INTERRUPT_SEID,

  /** A pod is deleted to give way to one for the plan's target. Asked again and again. */
  UPDATE_POD,

  /** Seid is let start in a pod that runs. */
  RELEASE_SEID,

  /** A pod ends with what it belongs to. */
  END_POD
}
