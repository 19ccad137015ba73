package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Progress of an upgrade. */
public enum UpgradeState {
  /** The upgrade is listed; seid has not halted for it. */
  @JsonProperty("Scheduled")
  SCHEDULED,
  /** Its image is on the Kubernetes node of the pod. */
  @JsonProperty("Ready")
  READY,
  /** The node is past its height, and the chain has no plan of its name. */
  @JsonProperty("Passed")
  PASSED,
  /** Seid halted for it on this volume, which continues with its image. */
  @JsonProperty("Applied")
  APPLIED
}
