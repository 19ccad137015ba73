package io.sei.operator.node.volume;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * PURE: what is known of how full a volume is.
 *
 * @param last what was heard last; empty if nothing is known
 * @param at when that was asked for, or since when nothing is known
 * @param filling whether it is as full as it may become before it grows
 * @param silence why nothing has been known for {@link #PATIENCE}; empty if that is not so
 */
record Usage(
    Optional<VolumeUsage> last,
    Instant at,
    boolean filling,
    Outlook outlook,
    Optional<String> silence) {

  /** Time for which an answer is used, as long as five polls. */
  static final Duration FRESH = Duration.ofMinutes(10);

  /**
   * An answer that arrives during a pass is newer than the pass; one that is newer by more was
   * dated by a clock that was ahead.
   */
  private static final Duration PASS = Duration.ofSeconds(30);

  /** A new pod has its first statistics after some minutes. */
  static final Duration PATIENCE = Duration.ofMinutes(15);

  /**
   * Hysteresis in percent, so that a volume at its maximum is not reported full and not full by
   * turns.
   */
  private static final int PLAY = 2;

  /** Returns the state before the first answer. */
  static Usage unasked(Instant now) {
    return new Usage(Optional.empty(), now, false, Outlook.CALM, Optional.empty());
  }

  /**
   * Returns the state after an answer.
   *
   * @param usedPercent at which it is to grow; empty if it is not
   */
  Usage heard(VolumeUsage answer, Optional<Integer> usedPercent, Instant now) {
    double percent = answer.used() * 100;
    boolean isFull =
        usedPercent.filter(number -> percent >= (filling ? number - PLAY : number)).isPresent();
    return new Usage(Optional.of(answer), now, isFull, outlook.next(answer), Optional.empty());
  }

  /** Returns the state after a poll without a usable answer. */
  Usage missed(String why, Instant now) {
    if (silence.isPresent() || isFresh(now)) {
      return this;
    }
    Instant since = at.isAfter(now) ? now : at;
    Usage unknown = unasked(since);
    return now.isBefore(since.plus(PATIENCE))
        ? unknown
        : new Usage(unknown.last, since, false, Outlook.CALM, Optional.of(why));
  }

  /** Returns whether there is an answer that counts. */
  boolean isFresh(Instant now) {
    return last.isPresent() && !at.isAfter(now.plus(PASS)) && now.isBefore(at.plus(FRESH));
  }

  /** Returns whether the volume is to grow, by an answer that counts. */
  boolean isToGrow(Instant now) {
    return filling && isFresh(now);
  }

  /** Returns whether a status says something else now. */
  boolean isNews(Usage before) {
    return filling != before.filling
        || outlook != before.outlook
        || !silence.equals(before.silence);
  }
}
