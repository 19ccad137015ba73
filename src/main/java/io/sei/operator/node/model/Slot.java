package io.sei.operator.node.model;

/** The places in a node's plans that features may fill, in the order of the plan. */
public enum Slot {
  /** First of all, in a plan that ends the pod there is. */
  BEFORE_END,

  /** Before there is a StatefulSet for a new pod. */
  BEFORE_POD,

  /** Once the StatefulSet is as wanted: its pod becomes one of the plan's target. */
  POD
}
