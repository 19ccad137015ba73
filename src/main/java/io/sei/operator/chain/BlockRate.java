package io.sei.operator.chain;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * PURE: how fast a chain makes blocks, by what its newest block was at several moments.
 *
 * @param heads at least one and at most twelve, rising in height and time; all but the last are
 *     apart
 */
record BlockRate(List<ChainHead> heads) {

  /** An hour, at one every five minutes: a rate of less is at the mercy of a slow minute. */
  private static final int WINDOW = 12;

  /** Distance of the blocks that are kept, however often the chain is asked. */
  private static final Duration APART = Duration.ofMinutes(4);

  private static final Duration FAR = Duration.ofDays(3650);

  static BlockRate of(ChainHead first) {
    return new BlockRate(List.of(first));
  }

  ChainHead last() {
    return heads.get(heads.size() - 1);
  }

  /**
   * Returns the rate with another newest block. A node may be some blocks behind the one that was
   * asked before; a chain that starts over has no rate yet.
   */
  BlockRate with(ChainHead head) {
    if (!head.time().isAfter(last().time()) || head.height() == last().height()) {
      return this;
    }
    if (head.height() < last().height()) {
      return of(head);
    }
    var more = new ArrayList<>(heads);
    int before = heads.size() - 2;
    if (before >= 0 && last().time().isBefore(heads.get(before).time().plus(APART))) {
      more.removeLast();
    }
    more.add(head);
    return new BlockRate(List.copyOf(more.subList(Math.max(0, more.size() - WINDOW), more.size())));
  }

  /** Blocks per second; empty until that is known. */
  OptionalDouble perSecond() {
    ChainHead first = heads.get(0);
    long blocks = last().height() - first.height();
    double seconds = Duration.between(first.time(), last().time()).toMillis() / 1000.0;
    return blocks <= 0 || seconds <= 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(blocks / seconds);
  }

  /** Expected time of a block; empty until the rate is known, or if that is 10 years away. */
  Optional<Instant> timeOf(long height) {
    OptionalDouble rate = perSecond();
    if (rate.isEmpty()) {
      return Optional.empty();
    }
    double ahead = (height - last().height()) / rate.getAsDouble();
    return ahead > FAR.toSeconds()
        ? Optional.empty()
        : Optional.of(last().time().plusMillis(Math.round(ahead * 1000)));
  }
}
