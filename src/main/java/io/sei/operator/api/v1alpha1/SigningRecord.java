package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.time.Instant;

/** A validator's copy of the record of its key. */
public record SigningRecord(
    @JsonPropertyDescription("Name of the SeiSigningKey.") String name,
    @JsonPropertyDescription(
            "UID of the pod that it was last brought up to; unset before the first one.")
        String podUid,
    @JsonPropertyDescription(
            "Another node that has the key and may sign with it; unset if there is none.")
        String sharedWith,
    @JsonPropertyDescription("Time since which that is known.") Instant sharedSince) {

  /**
   * Returns whether the node signs with a key that its spec declares, without proof of possession.
   */
  @JsonIgnore
  public boolean isDeclared() {
    return name.contains(".");
  }

  /** The digest of the key, which the name of the record begins with. */
  public String digest() {
    return name.split("[.]", 2)[0];
  }
}
