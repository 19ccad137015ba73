package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** With which key a validator was Ready, so that signatures of that key may be its own. */
public record OwnSignatures(
    @JsonPropertyDescription(
            "Public key that its pod was started for, in base64; unset where the pod does not say"
                + " which.")
        String publicKey,
    @JsonPropertyDescription(
            "Since when seid finds signatures of that key in the latest blocks and does not start;"
                + " unset once the pod has been Ready for a minute.")
        Instant foundSince) {

  /** For how long a node's own signatures explain that: 4500 blocks of 0.4 seconds. */
  public static final Duration LIMIT = Duration.ofMinutes(30);

  /** Whether a pod with this key, which may be null, signs with the same one as far as is known. */
  public boolean isOf(String key) {
    return publicKey == null || publicKey.equals(key);
  }

  /** The same, found since then; null where nothing is found. */
  public OwnSignatures withFoundSince(Instant since) {
    return new OwnSignatures(publicKey, since);
  }

  /** For how much longer they explain it; empty if they do not. */
  public Optional<Duration> explainFor(Instant now) {
    return Optional.ofNullable(foundSince)
        .map(since -> Duration.between(since, now))
        .filter(age -> age.abs().compareTo(LIMIT) < 0)
        .map(LIMIT::minus);
  }
}
