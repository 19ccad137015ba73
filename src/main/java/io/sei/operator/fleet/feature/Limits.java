package io.sei.operator.fleet.feature;

import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Limits of a rollout, with every default filled in.
 *
 * @param maxUnavailable nodes that may be unavailable at a time, at least 1
 * @param partition nodes with a lower ordinal keep their template
 * @param minReady how long a node must have been Ready before it counts as done; where that is
 *     unset, {@code confirmation} decides
 * @param progressDeadline how long a node may be stalled on the new template before onStall acts
 */
public record Limits(
    int maxUnavailable,
    int partition,
    Optional<Duration> minReady,
    ReadyConfirmation confirmation,
    Duration progressDeadline,
    OnStall onStall) {

  private static final int PROGRESS_DEADLINE_SECONDS = 600;

  /** The limits a valid spec sets. */
  public static Limits of(SeiNodeDeploymentSpec spec, ReadyConfirmation confirmation) {
    Optional<InPlace> inPlace =
        Optional.ofNullable(spec.updateStrategy()).map(UpdateStrategy::inPlace);
    return new Limits(
        spec.maxUnavailable(),
        inPlace.map(InPlace::partition).orElse(0),
        inPlace.map(InPlace::minReadySeconds).map(Duration::ofSeconds),
        confirmation,
        Duration.ofSeconds(
            inPlace.map(InPlace::progressDeadlineSeconds).orElse(PROGRESS_DEADLINE_SECONDS)),
        inPlace.map(InPlace::onStall).orElse(OnStall.HOLD));
  }

  /** Returns the number of nodes that a rollout leaves Ready, at least one. */
  public int leastReady(int replicas) {
    return Math.min(replicas, Math.max(1, replicas - maxUnavailable));
  }

  /** Returns the longest time that a node must be Ready. */
  public Duration longestMinReady() {
    return minReady.orElse(confirmation.withoutBlock());
  }

  /**
   * Returns the time at which a Ready node counts as done, provided that it does not restart: that
   * of its readiness or its first block, whichever is later, plus {@code afterBlock}, and at the
   * latest that of its readiness plus {@code withoutBlock}. A new image may crash seconds after it
   * was Ready, and seid reports that it is ready until a peer has sent its height.
   */
  public Instant confirmedAt(FleetNode node, Instant now) {
    Instant ready = past(node.readySince(), now);
    Instant atLast = ready.plus(longestMinReady());
    if (minReady.isPresent() || node.caughtUpAt() == null) {
      return atLast;
    }
    Instant block = past(node.caughtUpAt(), now);
    Instant confirmed = (block.isAfter(ready) ? block : ready).plus(confirmation.afterBlock());
    return confirmed.isBefore(atLast) ? confirmed : atLast;
  }

  /** Returns whether a node is Ready, and has been so for long enough. */
  public boolean isConfirmed(FleetNode node, Instant now) {
    return node.isReady() && !confirmedAt(node, now).isAfter(now);
  }

  /** Returns the time at which {@code onStall} acts on a node, provided that it stays stalled. */
  public Instant deadline(FleetNode node, Instant now) {
    return past(node.stalledSince(), now).plus(progressDeadline);
  }

  /** A moment; now if it is missing or still to come, so that waiting starts over. */
  public static Instant past(Instant moment, Instant now) {
    return moment == null || moment.isAfter(now) ? now : moment;
  }
}
