package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Requests a reconcile for what no watch reports, or for what a watch reports in many pieces.
 * Requests for one resource are merged for 200 ms, and dropped if a reconcile begins before.
 *
 * @param <P> the kind of resource
 */
public final class ReconcileTrigger<P extends HasMetadata> extends AbstractEventSource<Void, P> {

  /** Long enough for what happens together, and short for a user who waits for it. */
  private static final Duration SOON = Duration.ofMillis(200);

  private final Map<ResourceID, ScheduledFuture<?>> due = new HashMap<>();
  private final ScheduledExecutorService timer;

  public ReconcileTrigger() {
    this(
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("wakes").factory()));
  }

  ReconcileTrigger(ScheduledExecutorService timer) {
    super(Void.class, "wakes");
    this.timer = timer;
  }

  /** Wakes a resource within moments. */
  public void soon(ResourceID resource) {
    within(resource, SOON);
  }

  /** Wakes a resource after this time at the latest. */
  public synchronized void within(ResourceID resource, Duration delay) {
    ScheduledFuture<?> before = due.get(resource);
    boolean isSooner = before == null || before.getDelay(TimeUnit.MILLISECONDS) > delay.toMillis();
    if (isSooner && isRunning()) {
      seen(resource);
      due.put(
          resource, timer.schedule(() -> wake(resource), delay.toMillis(), TimeUnit.MILLISECONDS));
    }
  }

  /** A reconcile begins that sees all there is. */
  public synchronized void seen(ResourceID resource) {
    ScheduledFuture<?> before = due.remove(resource);
    if (before != null) {
      before.cancel(false);
    }
  }

  private void wake(ResourceID resource) {
    synchronized (this) {
      due.remove(resource);
    }
    getEventHandler().handleEvent(new Event(resource));
  }

  @Override
  public Set<Void> getSecondaryResources(P primary) {
    return Set.of();
  }

  @Override
  public void stop() {
    super.stop();
    timer.shutdownNow();
  }
}
