package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** State of a task of a plan; a task that runs or waits is Pending, as in the Go operator. */
public enum TaskStatus {
  @JsonProperty("Pending")
  PENDING,
  @JsonProperty("Complete")
  COMPLETE,
  @JsonProperty("Failed")
  FAILED
}
