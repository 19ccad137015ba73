package io.sei.operator.base;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.MDC;

/**
 * Runs each reconcile on a virtual thread of its own. A reconcile first waits for a place, of which
 * a namespace may have all while no other namespace waits, and otherwise eight. Of those with a
 * place a limited number compute at a time: one that waits for an answer over the network does not.
 */
public final class ReconcileThreads extends AbstractExecutorService {

  /** Number of places that a namespace may use while another one waits. */
  static final int SHARE = 8;

  /** Reconciles for each computing thread: one that asks a sidecar waits most of its time. */
  static final int PLACES_PER_THREAD = 4;

  /**
   * Key under which the framework (5.2.3, {@code EventProcessor.submitReconciliationExecution})
   * stores the namespace of the resource on the thread that submits its reconciliation. The
   * submitted task itself does not contain it.
   */
  static final String NAMESPACE = "resource.namespace";

  private static final ScopedValue<Place> PLACE = ScopedValue.newInstance();

  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("reconcile-", 0).factory());
  private final FairSemaphore places;
  private final FairSemaphore outside;
  private final FairSemaphore computing;

  /**
   * @param computing how many reconciles compute at a time
   */
  public ReconcileThreads(int computing) {
    int placesOfOne = PLACES_PER_THREAD * computing;
    this.places = new FairSemaphore(placesOfOne + SHARE, SHARE, SHARE);
    this.outside = new FairSemaphore(placesOfOne + SHARE, SHARE, SHARE);
    this.computing = new FairSemaphore(computing, computing, 0);
  }

  /**
   * Has the scheduler of virtual threads run so many at a time that those which do not reconcile
   * never wait for those which do: a thread that computes gives its turn to none. To be called
   * before the first virtual thread starts.
   */
  public static void reserveProcessors(int computing) {
    System.setProperty(
        "jdk.virtualThreadScheduler.parallelism", String.valueOf(parallelism(computing)));
  }

  static int parallelism(int computing) {
    return computing + Runtime.getRuntime().availableProcessors();
  }

  @Override
  public void execute(Runnable reconcile) {
    String namespace = Objects.requireNonNullElse(MDC.get(NAMESPACE), "");
    threads.execute(() -> run(namespace, reconcile));
  }

  private void run(String namespace, Runnable reconcile) {
    try {
      places.acquire(namespace);
    } catch (InterruptedException e) {
      // Only the end of the process interrupts what waits here.
      return;
    }
    var place = new Place(namespace);
    try {
      computing.acquireUninterruptibly(namespace);
      try {
        ScopedValue.where(PLACE, place).run(reconcile);
      } finally {
        computing.release(namespace);
      }
    } finally {
      place.end();
    }
  }

  /**
   * Makes a call that waits for the network. Where a reconcile makes it, another one may compute in
   * the meantime.
   */
  public static <V> V onNetwork(Supplier<V> call) {
    return PLACE.isBound() ? PLACE.get().onNetwork(call) : call.get();
  }

  /**
   * Makes a call that is likely to wait for long: the reconcile gives up its place until its end,
   * unless too many of the namespace have done so.
   */
  public static <V> V onNetworkOutside(Supplier<V> call) {
    if (PLACE.isBound()) {
      PLACE.get().giveUp();
    }
    return onNetwork(call);
  }

  /** Number of reconciles that wait for a place. */
  public int waiting() {
    return places.waiting();
  }

  @Override
  public void shutdown() {
    threads.shutdown();
  }

  @Override
  public List<Runnable> shutdownNow() {
    return threads.shutdownNow();
  }

  @Override
  public boolean isShutdown() {
    return threads.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return threads.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return threads.awaitTermination(timeout, unit);
  }

  /** The place of one reconcile. */
  private final class Place {

    private final String namespace;
    private FairSemaphore holds = places;

    Place(String namespace) {
      this.namespace = namespace;
    }

    <V> V onNetwork(Supplier<V> call) {
      computing.release(namespace);
      try {
        return call.get();
      } finally {
        computing.acquireUninterruptibly(namespace);
      }
    }

    void giveUp() {
      if (holds == places && outside.tryAcquire(namespace)) {
        places.release(namespace);
        holds = outside;
      }
    }

    void end() {
      holds.release(namespace);
    }
  }
}
