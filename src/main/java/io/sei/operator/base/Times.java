package io.sei.operator.base;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/** PURE: reads the times that others write, in objects and answers. */
public final class Times {

  private Times() {}

  /** A time of RFC 3339; empty for null and for what cannot be read. */
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
