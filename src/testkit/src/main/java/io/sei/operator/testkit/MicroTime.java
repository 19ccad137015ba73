package io.sei.operator.testkit;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** The MicroTime of Kubernetes, such as {@code renewTime} of a Lease. */
public final class MicroTime {

  /** The API server refuses any other number of digits. */
  private static final DateTimeFormatter FORMAT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private MicroTime() {}

  /** Returns the time in the form that the API server wants. */
  public static String of(Instant time) {
    return FORMAT.format(time);
  }
}
