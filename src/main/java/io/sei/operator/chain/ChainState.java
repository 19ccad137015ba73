package io.sei.operator.chain;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * PURE: state of a chain by the answers of a namespace's nodes, one after the other. Any of them
 * may be wrong: a plan is accepted from one node, since a missed upgrade is worse than a false
 * warning, and dropped after the answers of two nodes without it, or one if no other node can be
 * polled. A plan that no second node confirms is reported, and it times the pull of its image; it
 * changes an image only for an entry that the user marked {@code early}.
 *
 * @param proposed plans of the proposals that the last node knew to be voted on
 * @param planned the accepted plan; while it is doubted, that of an earlier answer
 * @param isDoubted whether the last answer lacked the plan, so that the next answer of another node
 *     decides
 * @param isWitnessed whether the last answers of two nodes, in any namespace, agree with {@code
 *     planned}; added when the state is read
 */
public record ChainState(
    BlockRate rate,
    Optional<UpgradePlan> planned,
    List<UpgradePlan> proposed,
    boolean isDoubted,
    boolean isWitnessed) {

  /** Returns the state after the first answer. */
  public static ChainState of(ChainAnswer first) {
    List<UpgradePlan> proposed = first.proposed().orElse(List.of());
    return new ChainState(BlockRate.of(first.head()), first.ahead(), proposed, false, false);
  }

  /**
   * Returns why an answer must not be believed; empty if it may be.
   *
   * @param known what is known so far, if anything
   */
  public static Optional<String> objection(
      ChainAnswer answer, Optional<ChainState> known, Instant now) {
    if (answer.isFromTheFuture(now)) {
      return Optional.of("its newest block is from the future");
    }
    return known
        .filter(state -> answer.isBehind(state.rate.last()))
        .map(state -> "its newest block is older than that of another node");
  }

  /**
   * Returns the state after one more answer.
   *
   * @param others whether another node can be polled as well
   */
  public ChainState heard(ChainAnswer answer, boolean others) {
    BlockRate latest = rate.with(answer.head());
    List<UpgradePlan> voted = answer.proposed().orElse(proposed);
    boolean denied = planned.isPresent() && answer.ahead().isEmpty();
    return denied && others && !isDoubted
        ? new ChainState(latest, planned, voted, true, false)
        : new ChainState(latest, answer.ahead(), voted, false, false);
  }

  /**
   * Returns the state after one more answer of the node whose last one raised a doubt. The doubt
   * stays until another node confirms it, unless the chain is at or past the height of the plan, or
   * no other node can be polled.
   */
  public ChainState heardAgain(ChainAnswer answer, boolean others) {
    boolean isPast = planned.filter(plan -> plan.height() <= answer.head().height()).isPresent();
    ChainState before = isPast ? this : new ChainState(rate, planned, proposed, false, isWitnessed);
    return before.heard(answer, others);
  }

  /** Returns a copy that is marked as witnessed. */
  public ChainState witnessed() {
    return new ChainState(rate, planned, proposed, isDoubted, true);
  }

  /** Newest height of any accepted answer; lower only after the chain was restarted. */
  public long height() {
    return rate.last().height();
  }

  /** Time of the block at {@link #height}. */
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

  /** Returns whether the upgrade of a name is planned as a minor release. */
  public boolean plansMinor(String name) {
    return planned.filter(plan -> plan.minor() && plan.name().equals(name)).isPresent();
  }

  /** Expected time of the planned upgrade; empty without a plan or a block rate. */
  public Optional<Instant> plannedTime() {
    return planned.flatMap(plan -> rate.timeOf(plan.height()));
  }
}
