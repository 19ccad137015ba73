package io.sei.operator.kube;

import io.fabric8.kubernetes.client.CustomResource;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Runs what follows a status write, such as recording Events, once, also when the response to the
 * write is lost: the next reconcile then shows whether it succeeded. A crash of the process loses
 * it.
 *
 * @param <S> the status
 */
public final class StatusWrites<S> {

  private record Write<S>(String resourceVersion, S after, Runnable then) {}

  private final PerObjectMap<ResourceID, Write<S>> unanswered;

  public StatusWrites(PerObjectState<ResourceID> memory) {
    this.unanswered = memory.newMap();
  }

  /**
   * Writes a status if it differs from the resource's.
   *
   * @param write writes it; what it throws is thrown on
   * @param then runs once the status is known to be written
   * @return the resource as it was written; empty if there was nothing to write
   */
  public <R extends CustomResource<?, S>> Optional<R> write(
      R before, S after, Supplier<R> write, Runnable then) {
    completeEarlier(before);
    if (after.equals(before.getStatus())) {
      return Optional.empty();
    }
    ResourceID resource = ResourceID.fromResource(before);
    // If a second write to the same version is refused, the first one may have succeeded.
    unanswered.compute(
        resource, earlier -> earlier == null ? new Write<>(version(before), after, then) : earlier);
    R written = write.get();
    unanswered.remove(resource);
    then.run();
    return Optional.of(written);
  }

  /** Completes an earlier write without a response, if the resource shows that it succeeded. */
  void completeEarlier(CustomResource<?, S> now) {
    ResourceID resource = ResourceID.fromResource(now);
    Write<S> earlier = unanswered.get(resource).orElse(null);
    // The cache may lag behind the write.
    if (earlier == null || Objects.equals(earlier.resourceVersion(), version(now))) {
      return;
    }
    unanswered.remove(resource);
    if (earlier.after().equals(now.getStatus())) {
      earlier.then().run();
    }
  }

  private static String version(CustomResource<?, ?> resource) {
    return resource.getMetadata().getResourceVersion();
  }
}
