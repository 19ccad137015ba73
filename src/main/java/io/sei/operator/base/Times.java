package io.sei.operator.base;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/** PURE: parses timestamps of Kubernetes objects and of RPC answers. */
public final class Times {

  private Times() {}

  /** Parses an RFC 3339 timestamp; empty for null, empty or malformed text. */
  public static Optional<Instant> parse(String time) {
    if (time == null || time.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(OffsetDateTime.parse(time).toInstant());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
