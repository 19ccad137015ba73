package io.sei.operator.node;

import java.time.Duration;
import java.time.Instant;

/**
 * Keeps everybody from waiting for answers that do not come: after a read that was not answered,
 * one caller in a while reads, and the others go without, until a read is answered.
 */
final class ReadPause {

  private final Duration length;
  private Instant nextRead = Instant.MIN;

  ReadPause(Duration length) {
    this.length = length;
  }

  /** Whether the caller is one to read; then it has to say how that went. */
  synchronized boolean mayRead(Instant now) {
    if (nextRead.equals(Instant.MIN)) {
      return true;
    }
    if (now.isBefore(nextRead)) {
      return false;
    }
    nextRead = now.plus(length);
    return true;
  }

  /** A read was answered, be it with a refusal. */
  synchronized void answered() {
    nextRead = Instant.MIN;
  }

  /** A read was not answered, or only that the server cannot. */
  synchronized void unanswered(Instant now) {
    nextRead = now.plus(length);
  }
}
