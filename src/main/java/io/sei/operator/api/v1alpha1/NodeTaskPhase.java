package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonValue;

/** Phase of a SeiNodeTask. */
public enum NodeTaskPhase {
  PENDING("Pending"),
  RUNNING("Running"),
  COMPLETE("Complete"),
  FAILED("Failed");

  private final String value;

  NodeTaskPhase(String value) {
    this.value = value;
  }

  /** The phase as it stands in status. */
  @JsonValue
  @Override
  public String toString() {
    return value;
  }

  /** Returns whether nothing is done for the task any more. */
  public boolean isFinished() {
    return this == COMPLETE || this == FAILED;
  }
}
