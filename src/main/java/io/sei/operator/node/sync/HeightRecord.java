package io.sei.operator.node.sync;

import io.sei.operator.chain.SyncState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * PURE: how long a node has had one height, and how far others went meanwhile.
 *
 * @param since when that height was first heard
 * @param othersThen the greatest height that others were known to have then, 0 if none was
 * @param othersNow the same now
 * @param standstill what is reported of it, the same for as long as it lasts
 */
record HeightRecord(
    long height, Instant since, long othersThen, long othersNow, Optional<Standstill> standstill) {

  /**
   * More than a block of the longest kind takes, and soon enough to be reported in five minutes.
   */
  static final Duration LONG = Duration.ofMinutes(3);

  /**
   * A height that stands still though others go on.
   *
   * @param others how far they were when it was noticed
   */
  record Standstill(long height, Instant since, long others) {}

  /**
   * Returns the record after an answer.
   *
   * @param before what was known of the same run; empty at its first answer
   * @param others the greatest height that another node of the chain has said it has, 0 if none has
   */
  static HeightRecord after(
      Optional<HeightRecord> before, SyncState state, long others, Instant now) {
    long furthest = Math.max(others, state.furthest().orElse(0L));
    return before
        .filter(candidate -> candidate.height == state.height())
        .map(heightRecord -> heightRecord.still(furthest, now))
        .orElseGet(
            () -> new HeightRecord(state.height(), now, furthest, furthest, Optional.empty()));
  }

  private HeightRecord still(long furthest, Instant now) {
    long then = othersThen == 0 ? furthest : othersThen;
    long ahead = Math.max(othersNow, furthest);
    boolean stands = ahead > Math.max(then, height) && !now.isBefore(since.plus(LONG));
    return new HeightRecord(
        height,
        since,
        then,
        ahead,
        standstill.or(
            () -> Optional.of(new Standstill(height, since, ahead)).filter(standstill -> stands)));
  }
}
