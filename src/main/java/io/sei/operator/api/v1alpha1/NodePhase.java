package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonValue;

/** Phase of a SeiNode. */
public enum NodePhase {
  PENDING("Pending"),
  INITIALIZING("Initializing"),
  RUNNING("Running"),
  FAILED("Failed"),
  TERMINATING("Terminating");

  private final String value;

  NodePhase(String value) {
    this.value = value;
  }

  /** The phase as it stands in status. */
  @JsonValue
  @Override
  public String toString() {
    return value;
  }
}
