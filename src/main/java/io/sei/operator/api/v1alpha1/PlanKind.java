package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonValue;

/** Purpose of a plan. */
public enum PlanKind {
  /** Brings a node that has never run to Running. */
  INIT("Init"),
  /** Replaces the pod of a node whose spec asks for another one. */
  UPDATE("Update"),
  /**
   * Hands a running node's configuration to its sidecar, and restarts seid where the policy says
   * so.
   */
  CONFIG("Config"),
  /** Tells a restarted sidecar that its node may start. */
  MARK_READY("MarkReady"),
  /** Brings the nodes of a deployment to a new template. */
  ROLLOUT("Rollout");

  private final String value;

  PlanKind(String value) {
    this.value = value;
  }

  /** The kind as it stands in status. */
  @JsonValue
  @Override
  public String toString() {
    return value;
  }
}
