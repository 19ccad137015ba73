package io.sei.operator.testkit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The time of the system, until a test sets it wrong. */
public final class WrongClock extends Clock {

  private volatile Duration ahead = Duration.ZERO;

  /** Sets the clock ahead of the system by this much, or behind it by a negative duration. */
  public void jumpTo(Duration ahead) {
    this.ahead = ahead;
  }

  @Override
  public Instant instant() {
    return Instant.now().plus(ahead);
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
