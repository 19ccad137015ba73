package io.sei.operator.disruption;

/** Kind of work that takes a node of a fleet down. */
public enum Disruption {
  /** A template or a configuration, which every node has to get in the end. */
  REQUIRED,

  /** A snapshot, an upgrade before its height, or a task. It can wait. */
  OPTIONAL
}
