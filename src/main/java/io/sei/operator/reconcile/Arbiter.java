package io.sei.operator.reconcile;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Decides a condition that many have a say in: of the verdicts that are offered, the one of the
 * first rank stands. What has a lower rank is not asked.
 *
 * @param <R> the ranks, first the one that goes before all others
 */
public final class Arbiter<R extends Enum<R>> {

  private final Map<R, Supplier<Optional<Verdict>>> offers;

  /**
   * @param offered what others have offered at a rank
   */
  public Arbiter(Class<R> ranks, Function<R, Optional<Verdict>> offered) {
    this.offers = new EnumMap<>(ranks);
    EnumSet.allOf(ranks).forEach(it -> offers.put(it, () -> offered.apply(it)));
  }

  /** Offers a verdict, if there turns out to be one, unless others have offered one there. */
  public Arbiter<R> offer(R rank, Supplier<Optional<Verdict>> verdict) {
    offers.computeIfPresent(rank, (_, others) -> () -> others.get().or(verdict));
    return this;
  }

  /** Offers a verdict, if it applies. */
  public Arbiter<R> offer(R rank, boolean applies, Verdict verdict) {
    return offer(rank, () -> Optional.of(verdict).filter(it -> applies));
  }

  /** The rank that decides, and the verdict that stands. */
  public Map.Entry<R, Verdict> decide() {
    return offers.entrySet().stream()
        .flatMap(it -> it.getValue().get().map(verdict -> Map.entry(it.getKey(), verdict)).stream())
        .findFirst()
        .orElseThrow();
  }

  /** The verdict that stands. */
  public Verdict verdict() {
    return decide().getValue();
  }
}
