package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.time.Instant;
import java.util.Objects;

/**
 * Evidence that another process signs with a validator's key: seid is not started until the user
 * has answered.
 */
public record SigningElsewhere(
    @JsonPropertyDescription("The public key, in base64; unset where the pod did not say which.")
        String publicKey,
    @JsonPropertyDescription("Time at which it was found.") Instant foundAt,
    @JsonPropertyDescription(
            "Value of the annotation sei.io/retry at that time: another value lets seid "
                + "start.")
        String retry) {

  /** Returns whether the annotation, which may be null, has been set since. */
  public boolean isAnswered(String annotation) {
    return annotation != null && !Objects.equals(annotation, retry);
  }
}
