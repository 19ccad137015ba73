package io.sei.operator.node.feature;

/** The places in a node's plans that features may fill, in the order of the plan. */
public enum Slot {
  /** First of all, in a plan that ends the pod there is. */
  BEFORE_END,

  /** Before a new pod has its StatefulSet. */
  BEFORE_POD,

  /** Once the StatefulSet is as wanted: its pod becomes one of the plan's target. */
  POD,

  /** Before the sidecar configures a new volume, which may have to be filled. */
  VOLUME,

  /** First step of the configuration: the files are written. */
  CONFIGURE,

  /** Additions to the files; state sync asks the peers that it finds there. */
  EXTEND,

  /** Once the files are complete. */
  VALIDATE,

  /** Last step of a plan that keeps the pod. */
  START,

  /** Last of all, in a plan for the pod there is. */
  AFTER_START
}
