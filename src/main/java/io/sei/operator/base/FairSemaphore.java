package io.sei.operator.base;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;

/**
 * Shares permits among namespaces. A namespace may hold any number of them while no other namespace
 * waits, and no more than its share while one does. The namespace that holds the fewest is served
 * first, and among equals the one that was served longest ago.
 */
public final class FairSemaphore {

  /** Waits for a permit. */
  record Waiter(String namespace, CountDownLatch served) {

    boolean isServed() {
      return served.getCount() == 0;
    }
  }

  private final int share;
  private final int reserved;
  private final Map<String, Integer> held = new HashMap<>();

  /** Waiting callers by namespace; the namespace that was served last comes last. */
  private final Map<String, Queue<Waiter>> waiting = new LinkedHashMap<>();

  private int free;

  /**
   * @param permits how many there are
   * @param share what a namespace may hold while another one waits
   * @param reserved how many of the permits are kept for namespaces that hold less than their
   *     share, so that these need not wait until another namespace returns one
   */
  public FairSemaphore(int permits, int share, int reserved) {
    this.free = permits;
    this.share = share;
    this.reserved = reserved;
  }

  /**
   * Waits for a permit.
   *
   * @throws InterruptedException if the thread is interrupted first; then it has none
   */
  public void acquire(String namespace) throws InterruptedException {
    Waiter waiter = enqueue(namespace);
    try {
      waiter.served().await();
    } catch (InterruptedException e) {
      abandon(waiter);
      throw e;
    }
  }

  /** Waits for a permit, also where the thread is interrupted. */
  public void acquireUninterruptibly(String namespace) {
    Waiter waiter = enqueue(namespace);
    boolean interrupted = false;
    while (true) {
      try {
        waiter.served().await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes a permit if the namespace need not wait for it. */
  public synchronized boolean tryAcquire(String namespace) {
    boolean isFree = waiting.isEmpty() && mayTake(namespace);
    if (isFree) {
      grant(namespace);
    }
    return isFree;
  }

  /** Returns a permit. */
  public synchronized void release(String namespace) {
    held.computeIfPresent(namespace, (key, count) -> count == 1 ? null : count - 1);
    free++;
    serve();
  }

  /** Number of waiting threads. */
  public synchronized int waiting() {
    return waiting.values().stream().mapToInt(Queue::size).sum();
  }

  /** Adds a waiter to the queue of its namespace; a waiter that is served has a permit. */
  synchronized Waiter enqueue(String namespace) {
    var waiter = new Waiter(namespace, new CountDownLatch(1));
    waiting.computeIfAbsent(namespace, key -> new ArrayDeque<>()).add(waiter);
    serve();
    return waiter;
  }

  /** Removes a waiter from its queue, or returns its permit if it was served meanwhile. */
  synchronized void abandon(Waiter waiter) {
    Queue<Waiter> queue = waiting.get(waiter.namespace());
    if (queue == null || !queue.remove(waiter)) {
      release(waiter.namespace());
      return;
    }
    if (queue.isEmpty()) {
      waiting.remove(waiter.namespace());
    }
    // The others may have waited because this namespace did.
    serve();
  }

  private void serve() {
    String next = next();
    while (next != null && mayTake(next)) {
      Queue<Waiter> queue = waiting.remove(next);
      Waiter waiter = queue.remove();
      if (!queue.isEmpty()) {
        waiting.put(next, queue);
      }
      grant(next);
      waiter.served().countDown();
      next = next();
    }
  }

  /** The namespace that is served next; null if none waits. */
  private String next() {
    String fewest = null;
    for (String namespace : waiting.keySet()) {
      if (fewest == null || held(namespace) < held(fewest)) {
        fewest = namespace;
      }
    }
    return fewest;
  }

  private boolean mayTake(String namespace) {
    if (held(namespace) < share) {
      return free > 0;
    }
    boolean doesAnotherWait =
        !waiting.isEmpty() && !(waiting.size() == 1 && waiting.containsKey(namespace));
    return !doesAnotherWait && free > reserved;
  }

  private int held(String namespace) {
    return held.getOrDefault(namespace, 0);
  }

  private void grant(String namespace) {
    held.merge(namespace, 1, Integer::sum);
    free--;
  }
}
