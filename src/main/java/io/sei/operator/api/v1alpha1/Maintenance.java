package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** Work of a person on the node's volume. */
public record Maintenance(
    @JsonPropertyDescription(
            "Keep seid from running, with the pod and its volume in place for kubectl exec:"
                + " Immediate stops seid now, AfterExit waits until it ends by itself. Unset starts"
                + " it again.")
        Hold hold) {

  /** Time at which seid stops. */
  public enum Hold {
    @JsonProperty("Immediate")
    IMMEDIATE,
    @JsonProperty("AfterExit")
    AFTER_EXIT
  }
}
