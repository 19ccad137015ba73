package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** How far an upgrade is. */
public enum UpgradeState {
  /** It is listed; seid has not halted for it. */
  @JsonProperty("Scheduled")
  SCHEDULED,
  /** Its image is on the Kubernetes node of the pod. */
  @JsonProperty("Ready")
  READY,
  /** Seid halted for it on this volume, which goes on with its image. */
  @JsonProperty("Applied")
  APPLIED
}
