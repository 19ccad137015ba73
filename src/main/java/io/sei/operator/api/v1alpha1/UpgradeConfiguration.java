package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.time.Instant;

/** Comparison of a node's files with what the seid of an upgrade needs. */
public record UpgradeConfiguration(
    State state,
    @JsonPropertyDescription("Evidence and next step; unset if the configuration is accepted.")
        String message,
    @JsonPropertyDescription("Time of the comparison.") Instant checkedAt) {

  /** Outcome of the comparison. */
  public enum State {
    /** The files have every key that is required, and none that is removed. */
    @JsonProperty("Accepted")
    ACCEPTED,
    /** A file lacks a required key, or has one with which seid does not start. */
    @JsonProperty("Refused")
    REFUSED,
    /** A file is not on the volume. */
    @JsonProperty("FileMissing")
    FILE_MISSING,
    /** The files could not be compared; the message says why. */
    @JsonProperty("Unchecked")
    UNCHECKED
  }
}
