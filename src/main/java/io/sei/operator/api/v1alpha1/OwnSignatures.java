package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Key with which a validator was last Ready, so that signatures of that key may be its own. */
public record OwnSignatures(
    @JsonPropertyDescription(
            "Public key that its pod was started for, in base64; unset where the pod does not say"
                + " which.")
        String publicKey,
    @JsonPropertyDescription(
            "Time since which seid finds signatures of that key in the latest blocks and "
                + "does not start; unset once the pod has been Ready for a minute.")
        Instant foundSince) {

  /**
   * Time for which a node's own signatures explain signatures of its key: 4500 blocks of 0.4
   * seconds.
   */
  public static final Duration LIMIT = Duration.ofMinutes(30);

  /**
   * Returns whether a pod with this key, which may be null, signs with the same one as far as is
   * known.
   */
  public boolean isOf(String key) {
    return publicKey == null || publicKey.equals(key);
  }

  /** Returns a copy with the start of the foreign signatures; null where there are none. */
  public OwnSignatures withFoundSince(Instant since) {
    return new OwnSignatures(publicKey, since);
  }

  /**
   * Returns the remaining time for which the node's own signatures explain those found; empty if
   * they do not.
   */
  public Optional<Duration> explainFor(Instant now) {
    return Optional.ofNullable(foundSince)
        .map(since -> Duration.between(since, now))
        .filter(age -> age.abs().compareTo(LIMIT) < 0)
        .map(LIMIT::minus);
  }
}
