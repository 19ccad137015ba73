package io.sei.operator.fleet.genesis;

import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Lets one genesis of all fleets be read at a time, since a large one takes a fourth of the heap.
 * Nothing waits for its turn: a reconcile comes again.
 */
public final class GenesisReading {

  private final Semaphore turn = new Semaphore(1);

  /** Reads a genesis; empty if another one is being read. */
  <T> Optional<T> read(Supplier<T> reader) {
    if (!turn.tryAcquire()) {
      return Optional.empty();
    }
    try {
      return Optional.of(reader.get());
    } finally {
      turn.release();
    }
  }
}
