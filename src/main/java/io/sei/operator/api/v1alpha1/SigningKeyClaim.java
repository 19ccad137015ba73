package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.time.Instant;

/** Claim of a node to a signing key: no other node of its namespace starts with it. */
public record SigningKeyClaim(
    @JsonPropertyDescription("Name of the key's Secret.") String secret,
    @JsonPropertyDescription("Time since which the key is claimed.") Instant heldSince) {

  /** The claim to the key of a Secret after this one, which may be null. */
  public static SigningKeyClaim after(SigningKeyClaim before, String secret, Instant now) {
    return before != null && secret.equals(before.secret())
        ? before
        : new SigningKeyClaim(secret, now);
  }
}
