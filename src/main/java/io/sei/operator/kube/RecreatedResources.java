package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.controller.ResourceAction;
import io.javaoperatorsdk.operator.processing.event.source.controller.ResourceEvent;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Wakes a resource that was created again while the deletion of the one before was handled. The
 * framework (5.2.3, {@code EventProcessor.eventProcessingFinished}) drops every event that arrives
 * in the meantime, and a new resource without a status would wait forever.
 *
 * @param <P> the kind of resource
 */
public final class RecreatedResources<P extends HasMetadata> extends AbstractEventSource<Void, P> {

  /** The framework finishes with a deletion within milliseconds, on a busy machine in seconds. */
  private static final List<Duration> LATER =
      List.of(Duration.ofMillis(500), Duration.ofSeconds(5));

  private final IndexerResourceCache<P> cache;

  /**
   * @param cache the resources there are
   */
  public RecreatedResources(IndexerResourceCache<P> cache) {
    super(Void.class, "recreated");
    this.cache = cache;
  }

  /**
   * Returns whether a resource that is said to be deleted is there again. Asks the API server: the
   * framework hands over what its cache has under the name, which may be the deleted resource or
   * the new one. One that is there when the deletion has been handled is woken, also if it was
   * created after this.
   */
  public boolean check(P deleted, Context<P> context) {
    boolean isThere = context.getClient().resource(deleted).get() != null;
    ResourceID id = ResourceID.fromResource(deleted);
    LATER.forEach(
        delay -> later(delay).execute(() -> cache.get(id).ifPresent(object -> wake(id, object))));
    return isThere;
  }

  private static Executor later(Duration delay) {
    return CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void wake(ResourceID id, P resource) {
    if (isRunning()) {
      getEventHandler().handleEvent(new ResourceEvent(ResourceAction.ADDED, id, resource));
    }
  }

  @Override
  public Set<Void> getSecondaryResources(P primary) {
    return Set.of();
  }
}
