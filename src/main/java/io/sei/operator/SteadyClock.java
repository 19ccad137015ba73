package io.sei.operator;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.function.LongSupplier;

/**
 * Tells the ages of what is kept in memory. It begins at the time of the system and then only
 * advances, whatever becomes of the system's clock; so what it tells must be neither stored nor
 * compared with the times of others.
 */
final class SteadyClock extends Clock {

  private final Instant start;
  private final LongSupplier nanos;
  private final long startNanos;

  /** A clock that advances with the machine's monotonic time. */
  SteadyClock() {
    this(Clock.systemUTC(), System::nanoTime);
  }

  SteadyClock(Clock system, LongSupplier nanos) {
    this.start = system.instant();
    this.nanos = nanos;
    this.startNanos = nanos.getAsLong();
  }

  @Override
  public Instant instant() {
    return start.plusNanos(nanos.getAsLong() - startNanos);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException();
  }
}
