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
 * Plan steps that are written later, together with the next change. Every plan task can run again
 * without doing anything twice (the sidecar recognises a repeated task by its id), so that a
 * finished task need not be written at once. The steps are kept in memory for the next pass over
 * the same version of the resource; a step that nothing follows soon is written.
 *
 * @param <S> the status
 */
final class DeferredStatus<S> {

  /** A step stays unwritten for about this long. */
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(3);

  private record Steps<S>(String resourceVersion, S status, Instant since) {}

  private final Clock clock;
  private final PerObjectMap<ResourceID, Steps<S>> kept;

  /**
   * @param clock for ages; never set back or forth
   */
  DeferredStatus(PerObjectState<ResourceID> memory, Clock clock) {
    this.kept = memory.newMap();
    this.clock = clock;
  }

  /** The status with the steps of the last pass; empty if the resource is not as it was then. */
  Optional<S> of(CustomResource<?, S> resource) {
    return kept.get(ResourceID.fromResource(resource))
        .filter(last -> last.resourceVersion().equals(version(resource)))
        .map(Steps::status);
  }

  /**
   * How long a status may stay unwritten; empty to write it now.
   *
   * @param stepOnly whether it differs in steps alone
   */
  Optional<Duration> delay(CustomResource<?, S> resource, S reached, boolean stepOnly) {
    ResourceID id = ResourceID.fromResource(resource);
    Instant now = clock.instant();
    Instant since = kept.get(id).map(Steps::since).orElse(now);
    Duration left = Duration.between(now, since.plus(LONGEST_DELAY));
    if (!stepOnly || left.isNegative() || left.isZero()) {
      kept.remove(id);
      return Optional.empty();
    }
    kept.put(id, new Steps<>(version(resource), reached, since));
    return Optional.of(left);
  }

  private static String version(CustomResource<?, ?> resource) {
    return resource.getMetadata().getResourceVersion();
  }
}
