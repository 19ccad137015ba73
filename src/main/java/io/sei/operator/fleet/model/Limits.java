package io.sei.operator.fleet.model;

import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import java.time.Duration;
import java.util.Optional;

/**
 * How far a rollout may go, with every default filled in.
 *
 * @param maxUnavailable nodes that may be unavailable at a time, at least 1
 * @param partition nodes with a lower ordinal keep their template
 * @param minReady how long a node must have been Ready before it counts as done; where that is
 *     unset, {@link #MIN_READY}, or until the node's own RPC says that it has caught up
 * @param progressDeadline how long a node may be stalled on the new template before onStall acts
 */
public record Limits(
    int maxUnavailable,
    int partition,
    Optional<Duration> minReady,
    Duration progressDeadline,
    OnStall onStall) {

  /** seid calls itself ready until a peer has told it how far the chain is. */
  public static final Duration MIN_READY = Duration.ofSeconds(30);

  private static final int PROGRESS_DEADLINE_SECONDS = 600;

  /** The limits a valid spec sets. */
  public static Limits of(SeiNodeDeploymentSpec spec) {
    Optional<InPlace> inPlace =
        Optional.ofNullable(spec.updateStrategy()).map(UpdateStrategy::inPlace);
    return new Limits(
        spec.maxUnavailable(),
        inPlace.map(InPlace::partition).orElse(0),
        inPlace.map(InPlace::minReadySeconds).map(Duration::ofSeconds),
        Duration.ofSeconds(
            inPlace.map(InPlace::progressDeadlineSeconds).orElse(PROGRESS_DEADLINE_SECONDS)),
        inPlace.map(InPlace::onStall).orElse(OnStall.HOLD));
  }

  /** How long a node must have been Ready at most, if its chain says nothing. */
  public Duration longestMinReady() {
    return minReady.orElse(MIN_READY);
  }
}
