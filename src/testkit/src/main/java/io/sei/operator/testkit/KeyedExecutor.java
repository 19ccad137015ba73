package io.sei.operator.testkit;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs level-triggered work for keys: never twice at a time for one key, once more when a key was
 * woken during its run, and again after the delay the work asks for.
 */
final class KeyedExecutor<K> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeyedExecutor.class);
  private static final Duration RETRY_DELAY = Duration.ofMillis(200);

  private static final class Slot {
    boolean running;
    boolean wokenWhileRunning;
    Future<?> due;
  }

  private final Map<K, Slot> slots = new HashMap<>();
  private final ScheduledExecutorService pool;
  private final Function<K, Optional<Duration>> work;

  KeyedExecutor(String name, int threads, Function<K, Optional<Duration>> work) {
    this.pool =
        Executors.newScheduledThreadPool(
            threads, Thread.ofPlatform().daemon().name(name).factory());
    this.work = work;
  }

  synchronized void wake(K key) {
    Slot slot = slots.computeIfAbsent(key, k -> new Slot());
    if (slot.running) {
      slot.wokenWhileRunning = true;
    } else {
      schedule(key, slot, Duration.ZERO);
    }
  }

  private void schedule(K key, Slot slot, Duration delay) {
    if (pool.isShutdown()) {
      return;
    }
    if (slot.due != null) {
      slot.due.cancel(false);
    }
    slot.due = pool.schedule(() -> run(key, slot), delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void run(K key, Slot slot) {
    synchronized (this) {
      if (slot.running) {
        slot.wokenWhileRunning = true;
        return;
      }
      slot.running = true;
      slot.wokenWhileRunning = false;
    }
    Optional<Duration> next = runOnce(key);
    synchronized (this) {
      slot.running = false;
      if (slot.wokenWhileRunning) {
        schedule(key, slot, Duration.ZERO);
      } else if (next.isPresent()) {
        schedule(key, slot, next.get());
      }
    }
  }

  private Optional<Duration> runOnce(K key) {
    try {
      return work.apply(key);
    } catch (RuntimeException e) {
      if (!pool.isShutdown()) {
        LOG.debug("{} is tried again: {}", key, e.toString());
      }
      return Optional.of(RETRY_DELAY);
    }
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
