package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Where a deployment is in its life. */
public enum FleetPhase {
  @JsonProperty("Pending")
  PENDING("Pending"),
  @JsonProperty("Initializing")
  INITIALIZING("Initializing"),
  @JsonProperty("Ready")
  READY("Ready"),
  @JsonProperty("Upgrading")
  UPGRADING("Upgrading"),
  @JsonProperty("Paused")
  PAUSED("Paused"),
  @JsonProperty("Degraded")
  DEGRADED("Degraded"),
  @JsonProperty("Failed")
  FAILED("Failed"),
  @JsonProperty("Terminating")
  TERMINATING("Terminating");

  private final String value;

  FleetPhase(String value) {
    this.value = value;
  }

  /** The phase as it stands in status. */
  @Override
  public String toString() {
    return value;
  }
}
