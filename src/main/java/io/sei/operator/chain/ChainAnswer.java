package io.sei.operator.chain;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Answer of one node about its chain.
 *
 * @param plan the upgrade that is planned, whatever its height
 */
public record ChainAnswer(ChainHead head, Optional<UpgradePlan> plan) {

  /**
   * Tolerated difference between the clocks of a block's proposer and of this process, or of two
   * nodes.
   */
  private static final Duration SKEW = Duration.ofMinutes(1);

  /** The upgrade that the node has yet to reach. */
  Optional<UpgradePlan> ahead() {
    return plan.filter(it -> it.height() > head.height());
  }

  /** Returns whether the newest block is later than any chain can have one. */
  boolean isFromTheFuture(Instant now) {
    return head.time().isAfter(now.plus(SKEW));
  }

  /** Returns whether the node is further behind another than nodes of a chain are. */
  boolean isBehind(ChainHead other) {
    return head.time().isBefore(other.time().minus(SKEW));
  }
}
