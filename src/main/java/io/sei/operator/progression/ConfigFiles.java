package io.sei.operator.progression;

/** What the first task that configures a node does with the configuration files on its volume. */
public enum ConfigFiles {
  /** Writes them again: the defaults of the mode, and over them what the spec asks for. */
  REPLACED,
  /** Sets keys in the files that are there, since state sync may be configured in them. */
  KEPT,
  /** Whether state sync is configured in them only the sidecar can say, once there is one. */
  UNDECIDED
}
