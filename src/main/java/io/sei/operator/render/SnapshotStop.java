package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.base.Times;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Stop of a node by its fleet, for a snapshot of its volume.
 *
 * @param snapshot name of the VolumeSnapshot
 * @param until when the node starts again, whatever has become of the fleet by then
 */
public record SnapshotStop(String snapshot, Instant until) {

  /** Longest time for which a fleet stops a node. */
  public static final Duration LONGEST = Duration.ofMinutes(10);

  /** Tolerated lead of the clock of the replica that wrote the stop. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  /**
   * The stop that a node's annotations ask for, if it is in force: not over, and not so far ahead
   * that no fleet can mean it.
   */
  public static Optional<SnapshotStop> of(HasMetadata node, Instant now) {
    return Annotations.of(node, Annotations.STOPPED_UNTIL)
        .flatMap(Times::parse)
        .filter(until -> until.isAfter(now))
        .filter(until -> !until.isAfter(now.plus(LONGEST).plus(CLOCK_SKEW)))
        .map(
            until ->
                new SnapshotStop(
                    Annotations.of(node, Annotations.STOPPED_FOR).orElse("(not named)"), until));
  }
}
