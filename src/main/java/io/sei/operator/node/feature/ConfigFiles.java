package io.sei.operator.node.feature;

/** Treatment of the configuration files on a node's volume, the most destructive first. */
public enum ConfigFiles {
  /** They are written again: the defaults of the mode, and over them what the spec asks for. */
  REPLACED,
  /** Whether something in them must be kept only the sidecar can say, once there is one. */
  UNDECIDED,
  /** Keys are set in the files that are there, since something in them must be kept. */
  KEPT
}
