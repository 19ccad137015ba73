package io.sei.operator.chain;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * PURE: what is known of a chain by the answers of its nodes, one after the other. Any of them may
 * be wrong: a plan is believed as soon as one node says it, since it is reported and never acted
 * on, and counts as gone once two nodes in a row do not know it, if there are two.
 *
 * @param planned the upgrade ahead of the node that answered
 * @param isDoubted whether the last node that answered did not know of it
 * @param isWitnessed whether two nodes, of whatever namespace, agree on what is planned or that
 *     nothing is, by the last answer of each
 */
public record KnownChain(
    BlockRate rate, Optional<UpgradePlan> planned, boolean isDoubted, boolean isWitnessed) {

  /** Returns the state after the first answer. */
  public static KnownChain of(ChainAnswer first) {
    return new KnownChain(BlockRate.of(first.head()), first.ahead(), false, false);
  }

  /**
   * Returns why an answer must not be believed; empty if it may be.
   *
   * @param known what is known so far, if anything
   */
  public static Optional<String> objection(
      ChainAnswer answer, Optional<KnownChain> known, Instant now) {
    if (answer.isFromTheFuture(now)) {
      return Optional.of("its newest block is from the future");
    }
    return known
        .filter(it -> answer.isBehind(it.rate.last()))
        .map(it -> "its newest block is older than that of another node");
  }

  /**
   * Returns the state after one more answer.
   *
   * @param others whether another node could be asked as well
   */
  public KnownChain heard(ChainAnswer answer, boolean others) {
    BlockRate latest = rate.with(answer.head());
    boolean denied = planned.isPresent() && answer.ahead().isEmpty();
    return denied && others && !isDoubted
        ? new KnownChain(latest, planned, true, false)
        : new KnownChain(latest, answer.ahead(), false, false);
  }

  /** Returns this chain after a second node has confirmed its plan. */
  public KnownChain witnessed() {
    return new KnownChain(rate, planned, isDoubted, true);
  }

  /** The height that the last answer said. */
  public long height() {
    return rate.last().height();
  }

  /** Time of the block of that height. */
  public Instant time() {
    return rate.last().time();
  }

  /** Blocks per second; empty until that is known. */
  public OptionalDouble blocksPerSecond() {
    return rate.perSecond();
  }

  /** Expected time of a height; empty until the block rate is known. */
  public Optional<Instant> timeOf(long height) {
    return rate.timeOf(height);
  }

  /** Expected time of the planned upgrade; empty without a plan or a block rate. */
  public Optional<Instant> plannedTime() {
    return planned.flatMap(it -> rate.timeOf(it.height()));
  }
}
