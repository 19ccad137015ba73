package io.sei.operator.observability;

import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.Executor;

/**
 * Runs each request in a virtual thread of its own. No request is ever turned away, as that would
 * turn probes away; once there are too many that have not arrived as a whole, the oldest of them
 * are given up. A request in transit costs about 28 KiB of buffers, so that this bounds the memory
 * that connections can take. A probe arrives as a whole at once.
 */
final class RequestThreads implements Executor {

  private static final int MOST_IN_TRANSIT = 1000;

  private final String name;
  private final SequencedSet<Thread> inTransit = new LinkedHashSet<>();

  /**
   * @param name of the threads
   */
  RequestThreads(String name) {
    this.name = name;
  }

  @Override
  public void execute(Runnable request) {
    Thread thread = Thread.ofVirtual().name(name).unstarted(() -> run(request));
    Thread oldest = null;
    synchronized (inTransit) {
      inTransit.add(thread);
      if (inTransit.size() > MOST_IN_TRANSIT) {
        oldest = inTransit.removeFirst();
      }
    }
    if (oldest != null) {
      // Closes the channel that it reads from.
      oldest.interrupt();
    }
    thread.start();
  }

  /** Records that the request of this thread was received as a whole. */
  void arrived() {
    synchronized (inTransit) {
      inTransit.remove(Thread.currentThread());
    }
  }

  private void run(Runnable request) {
    try {
      request.run();
    } finally {
      arrived();
    }
  }
}
