package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Phase of a plan. */
public enum PlanPhase {
  @JsonProperty("Active")
  ACTIVE,
  @JsonProperty("Complete")
  COMPLETE,
  @JsonProperty("Failed")
  FAILED
}
