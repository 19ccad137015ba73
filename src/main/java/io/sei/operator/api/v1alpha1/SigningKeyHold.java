package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.time.Instant;

/** Hold of a node on a signing key: no other node of its namespace starts with it. */
public record SigningKeyHold(
    @JsonPropertyDescription("Name of the key's Secret.") String secret,
    @JsonPropertyDescription("Time since which the node holds it.") Instant heldSince) {

  /** The hold on the key of a Secret after this one, which may be null. */
  public static SigningKeyHold after(SigningKeyHold before, String secret, Instant now) {
    return before != null && secret.equals(before.secret())
        ? before
        : new SigningKeyHold(secret, now);
  }
}
