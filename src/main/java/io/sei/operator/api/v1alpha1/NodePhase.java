package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Where a node is in its life. */
public enum NodePhase {
  @JsonProperty("Pending")
  PENDING("Pending"),
  @JsonProperty("Initializing")
  INITIALIZING("Initializing"),
  @JsonProperty("Running")
  RUNNING("Running"),
  @JsonProperty("Failed")
  FAILED("Failed"),
  @JsonProperty("Terminating")
  TERMINATING("Terminating");

  private final String value;

  NodePhase(String value) {
    this.value = value;
  }

  /** The phase as it stands in status. */
  @Override
  public String toString() {
    return value;
  }
}
