package io.sei.operator.reconcile;

import io.fabric8.kubernetes.client.CustomResource;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Progress of plans that is written with the next other change. Every plan task can run again
 * without doing anything twice (the sidecar recognises a repeated task by its id), so that a
 * finished task need not be written at once. The progress is kept in memory for the next pass over
 * the same version of the resource; after {@link #LONGEST_DELAY} it is written by itself.
 *
 * @param <S> the status
 */
final class DeferredStatus<S> {

  /** Longest time for which progress stays unwritten. */
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(10);

  private record Progress<S>(String resourceVersion, S status, Instant since) {}

  private final Clock clock;
  private final PerObjectMap<ResourceID, Progress<S>> kept;

  /**
   * @param clock for ages; never set back or forth
   */
  DeferredStatus(PerObjectState<ResourceID> memory, Clock clock) {
    this.kept = memory.newMap();
    this.clock = clock;
  }

  /**
   * The status with unwritten progress; empty if there is none for this version of the resource.
   */
  Optional<S> of(CustomResource<?, S> resource) {
    return kept.get(ResourceID.fromResource(resource))
        .filter(last -> last.resourceVersion().equals(version(resource)))
        .map(Progress::status);
  }

  /**
   * Returns the time for which a status may stay unwritten; empty to write it now.
   *
   * @param isDeferrable whether it differs from the written one in progress alone
   */
  Optional<Duration> delay(CustomResource<?, S> resource, S reached, boolean isDeferrable) {
    ResourceID id = ResourceID.fromResource(resource);
    Instant now = clock.instant();
    Instant since = kept.get(id).map(Progress::since).orElse(now);
    Duration left = Duration.between(now, since.plus(LONGEST_DELAY));
    if (!isDeferrable || left.isNegative() || left.isZero()) {
      kept.remove(id);
      return Optional.empty();
    }
    kept.put(id, new Progress<>(version(resource), reached, since));
    return Optional.of(left);
  }

  private static String version(CustomResource<?, ?> resource) {
    return resource.getMetadata().getResourceVersion();
  }
}
