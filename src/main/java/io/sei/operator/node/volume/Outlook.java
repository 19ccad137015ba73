package io.sei.operator.node.volume;

import java.time.Duration;

/**
 * Forecast of when a volume is full at its pace, as coarse as the status shows it, so that it is
 * not written for every block.
 */
enum Outlook {
  /** Not soon, or unknown. */
  CALM(Duration.ZERO, ""),
  WITHIN_A_WEEK(Duration.ofDays(7), "; at the pace of the last six hours it is full within a week"),
  WITHIN_A_DAY(Duration.ofDays(1), "; at the pace of the last six hours it is full within a day");

  /** A node that restores a snapshot fills a new volume fast. */
  private static final double HALF = 0.5;

  private final Duration within;
  private final String words;

  Outlook(Duration within, String words) {
    this.within = within;
    this.words = words;
  }

  /** The one after what was heard last; a worse one stays until it is off by half. */
  Outlook next(VolumeUsage heard) {
    if (heard.used() < HALF || heard.untilFull().isEmpty()) {
      return CALM;
    }
    Duration left = heard.untilFull().get();
    if (WITHIN_A_DAY.holds(left, this)) {
      return WITHIN_A_DAY;
    }
    return WITHIN_A_WEEK.holds(left, this) ? WITHIN_A_WEEK : CALM;
  }

  private boolean holds(Duration left, Outlook before) {
    Duration limit = before.compareTo(this) >= 0 ? within.multipliedBy(3).dividedBy(2) : within;
    return left.compareTo(limit) < 0;
  }

  /** Returns the addition to a message. */
  String words() {
    return words;
  }
}
