package io.sei.operator.chain;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Newest block, planned upgrade and upgrades that are voted on, as the RPC of one node reports
 * them.
 *
 * @param plan the plan of x/upgrade, also if the node has passed its height
 * @param proposed plans of the proposals in their voting period; empty if the node did not say
 */
public record ChainAnswer(
    ChainHead head, Optional<UpgradePlan> plan, Optional<List<UpgradePlan>> proposed) {

  /**
   * Tolerated difference between the clocks of a block's proposer and of this process, or of two
   * nodes.
   */
  private static final Duration SKEW = Duration.ofMinutes(1);

  /** An answer that does not say what is voted on. */
  public ChainAnswer(ChainHead head, Optional<UpgradePlan> plan) {
    this(head, plan, Optional.empty());
  }

  ChainAnswer withProposed(Optional<List<UpgradePlan>> proposed) {
    return new ChainAnswer(head, plan, proposed);
  }

  /** The upgrade that the node has yet to reach. */
  Optional<UpgradePlan> ahead() {
    return plan.filter(candidate -> candidate.height() > head.height());
  }

  /** Returns whether the newest block is more than a minute ahead of this process's clock. */
  boolean isFromTheFuture(Instant now) {
    return head.time().isAfter(now.plus(SKEW));
  }

  /**
   * Returns whether this node lags: its newest block is more than a minute older than {@code
   * other}.
   */
  boolean isBehind(ChainHead other) {
    return head.time().isBefore(other.time().minus(SKEW));
  }
}
