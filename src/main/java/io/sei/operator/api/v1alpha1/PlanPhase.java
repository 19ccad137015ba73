package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Where a plan stands. */
public enum PlanPhase {
  @JsonProperty("Active")
  ACTIVE,
  @JsonProperty("Complete")
  COMPLETE,
  @JsonProperty("Failed")
  FAILED
}
