package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonValue;

/** Phase of a SeiNodeDeployment. */
public enum FleetPhase {
  PENDING("Pending"),
  INITIALIZING("Initializing"),
  READY("Ready"),
  UPGRADING("Upgrading"),
  PAUSED("Paused"),
  DEGRADED("Degraded"),
  FAILED("Failed"),
  TERMINATING("Terminating");

  private final String value;

  FleetPhase(String value) {
    this.value = value;
  }

  /** The phase as it stands in status. */
  @JsonValue
  @Override
  public String toString() {
    return value;
  }
}
