package io.sei.operator.fleet.feature;

/**
 * Kind of work that takes a node of a fleet down, in the order in which they go. A template and a
 * configuration are required, as every node has to get them in the end; the others can wait.
 */
public enum Disruption {
  ROLLOUT("the rollout"),
  CONFIGURATION("the new configuration"),
  EARLY_UPGRADE("the early upgrade"),
  TASK("the restart by a task"),
  SNAPSHOT("the snapshot");

  private final String title;

  Disruption(String title) {
    this.title = title;
  }

  /** Its name in a message. */
  public String title() {
    return title;
  }

  /** Returns whether every node has to get it in the end. */
  public boolean isRequired() {
    return this == ROLLOUT || this == CONFIGURATION;
  }
}
