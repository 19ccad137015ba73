package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.controller.ResourceAction;
import io.javaoperatorsdk.operator.processing.event.source.controller.ResourceEvent;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Wakes a resource that was created again while the deletion of the one before was handled. The
 * framework (5.2.3, {@code EventProcessor.eventProcessingFinished}) drops every event that arrives
 * in the meantime, and a new resource without a status would wait for ever.
 *
 * @param <P> the kind of resource
 */
public final class RecreatedResources<P extends HasMetadata> extends AbstractEventSource<Void, P> {

  /** By then the framework has finished with the deletion, which takes it milliseconds. */
  private static final Duration LATER = Duration.ofMillis(500);

  private final IndexerResourceCache<P> cache;
  private final Executor later =
      CompletableFuture.delayedExecutor(LATER.toMillis(), TimeUnit.MILLISECONDS);

  /**
   * @param cache the resources there are
   */
  public RecreatedResources(IndexerResourceCache<P> cache) {
    super(Void.class, "recreated");
    this.cache = cache;
  }

  /**
   * Whether a resource that is said to be deleted is there again; it is woken then. Asks the API
   * server: the framework hands over what its cache has under the name, which may be the deleted
   * resource or the new one.
   */
  public boolean check(P deleted, Context<P> context) {
    P live = context.getClient().resource(deleted).get();
    if (live == null) {
      return false;
    }
    ResourceID id = ResourceID.fromResource(live);
    later.execute(() -> cache.get(id).ifPresent(it -> wake(id, it)));
    return true;
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
