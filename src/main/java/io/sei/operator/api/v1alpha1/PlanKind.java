package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What a plan is for. */
public enum PlanKind {
  /** Brings a node that has never run to Running. */
  @JsonProperty("Init")
  INIT("Init"),
  /** Replaces the pod of a node whose spec asks for another one. */
  @JsonProperty("Update")
  UPDATE("Update"),
  /** Hands a running node's configuration to its sidecar; restarts nothing. */
  @JsonProperty("Config")
  CONFIG("Config"),
  /** Tells a restarted sidecar that its node may start. */
  @JsonProperty("MarkReady")
  MARK_READY("MarkReady"),
  /** Brings the nodes of a deployment to a new template. */
  @JsonProperty("Rollout")
  ROLLOUT("Rollout");

  private final String value;

  PlanKind(String value) {
    this.value = value;
  }

  /** The kind as it stands in status. */
  @Override
  public String toString() {
    return value;
  }
}
