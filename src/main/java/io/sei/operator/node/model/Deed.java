package io.sei.operator.node.model;

/** What is asked for before it is done, since it cannot be taken back. */
public enum Deed {
  /** A StatefulSet is applied that has a pod, or will have one. */
  START_POD,

  /** A pod is deleted to give way to one for the plan's target. Asked again and again. */
  UPDATE_POD,

  /** Seid is let start in a pod that runs. */
  RELEASE_SEID,

  /** A pod ends with what it belongs to. */
  END_POD
}
