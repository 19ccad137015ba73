package io.sei.operator.reconcile;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Decides a condition for which several features make proposals: the one with the highest rank
 * stands.
 *
 * @param <R> the ranks, highest first
 */
public final class Arbiter<R extends Enum<R>> {

  private final Map<R, Supplier<Optional<ConditionProposal>>> offers;

  /**
   * @param offered proposals of features by rank
   */
  public Arbiter(Class<R> ranks, Function<R, Optional<ConditionProposal>> offered) {
    this.offers = new EnumMap<>(ranks);
    EnumSet.allOf(ranks).forEach(other -> offers.put(other, () -> offered.apply(other)));
  }

  /**
   * Offers a proposal that is computed on demand; one that was offered at this rank before wins.
   */
  public Arbiter<R> offer(R rank, Supplier<Optional<ConditionProposal>> proposal) {
    offers.computeIfPresent(rank, (_, others) -> () -> others.get().or(proposal));
    return this;
  }

  /** Offers a proposal if the condition for it holds. */
  public Arbiter<R> offer(R rank, boolean applies, ConditionProposal proposal) {
    return offer(rank, () -> Optional.of(proposal).filter(candidate -> applies));
  }

  /** Highest rank with a proposal, and that proposal. */
  public Map.Entry<R, ConditionProposal> decide() {
    return offers.entrySet().stream()
        .flatMap(
            offer ->
                offer
                    .getValue()
                    .get()
                    .map(proposal -> Map.entry(offer.getKey(), proposal))
                    .stream())
        .findFirst()
        .orElseThrow();
  }

  /** Proposal with the highest rank. */
  public ConditionProposal verdict() {
    return decide().getValue();
  }
}
