package io.sei.operator.base;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Runs tasks on virtual threads, a limited number at a time, which the namespaces of their owners
 * share.
 *
 * @param <K> key of an owner
 */
public final class FairExecutor<K> implements OwnedExecutor<K>, AutoCloseable {

  private final Function<K, String> namespaces;
  private final FairSemaphore permits;
  private final ExecutorService threads;
  private final ScheduledThreadPoolExecutor timer;

  /**
   * @param name of the threads
   * @param namespaces the namespace of an owner
   * @param permits how many tasks run at a time, and whose
   */
  public FairExecutor(String name, Function<K, String> namespaces, FairSemaphore permits) {
    this.namespaces = namespaces;
    this.permits = permits;
    this.threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name(name + "-", 0).factory());
    this.timer =
        new ScheduledThreadPoolExecutor(
            1,
            Thread.ofPlatform().daemon().name(name + "-timer").factory(),
            // Of a closed executor: no caller waits for its tasks.
            new ThreadPoolExecutor.DiscardPolicy());
  }

  /** Runs a task once a permit is free. */
  public void execute(K owner, Runnable task) {
    if (!threads.isShutdown()) {
      threads.execute(() -> run(namespaces.apply(owner), task));
    }
  }

  /** Runs a task after a delay, once a permit is free. */
  public void schedule(K owner, Runnable task, Duration delay) {
    timer.schedule(() -> execute(owner, task), delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** {@inheritDoc} It has its permit until it is over. */
  @Override
  public void execute(K owner, Supplier<? extends CompletionStage<?>> task, Duration delay) {
    Runnable waiting = () -> await(task.get());
    if (delay.isZero()) {
      execute(owner, waiting);
    } else {
      schedule(owner, waiting, delay);
    }
  }

  private static void await(CompletionStage<?> stage) {
    try {
      stage.toCompletableFuture().get();
    } catch (InterruptedException e) {
      // Closed: nothing waits for the answer.
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new CompletionException(e.getCause());
    }
  }

  private void run(String namespace, Runnable task) {
    try {
      permits.acquire(namespace);
    } catch (InterruptedException e) {
      // Closed before its turn.
      return;
    }
    try {
      task.run();
    } finally {
      permits.release(namespace);
    }
  }

  /** Interrupts the running tasks and drops the waiting ones. */
  @Override
  public void close() {
    timer.shutdownNow();
    threads.shutdownNow();
  }
}
