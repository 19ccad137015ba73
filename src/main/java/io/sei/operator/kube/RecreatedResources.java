package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.controller.ResourceAction;
import io.javaoperatorsdk.operator.processing.event.source.controller.ResourceEvent;
import java.time.Duration;
import java.util.Optional;
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
  private final Executor later;

  /**
   * @param cache the resources there are
   */
  public RecreatedResources(IndexerResourceCache<P> cache) {
    this(cache, CompletableFuture.delayedExecutor(LATER.toMillis(), TimeUnit.MILLISECONDS));
  }

  RecreatedResources(IndexerResourceCache<P> cache, Executor later) {
    super(Void.class, "recreated");
    this.cache = cache;
    this.later = later;
  }

  /**
   * Checks soon whether the resource is there again. One with the uid of what was deleted is a copy
   * that the cache still has.
   *
   * @return whether it is by now, so that what is known of it is not what was deleted
   */
  public boolean check(P deleted) {
    ResourceID id = ResourceID.fromResource(deleted);
    later.execute(() -> another(id, deleted).ifPresent(it -> wake(id, it)));
    return another(id, deleted).isPresent();
  }

  private Optional<P> another(ResourceID id, P deleted) {
    return cache
        .get(id)
        .filter(it -> !it.getMetadata().getUid().equals(deleted.getMetadata().getUid()));
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
