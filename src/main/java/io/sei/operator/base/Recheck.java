package io.sei.operator.base;

import java.time.Duration;

/** Intervals at which to check what no watch reports. */
public final class Recheck {

  /** Interval after a lost race: the other writer's change is in the cache afterwards. */
  public static final Duration RACE = Duration.ofSeconds(1);

  /** Interval for what takes seconds, that no watch reports, and that a person waits for. */
  public static final Duration SECONDS = Duration.ofSeconds(1);

  /** A backstop: a watch announces what is waited for. */
  public static final Duration BACKSTOP = Duration.ofSeconds(10);

  /** Interval for a change that is expected soon and that no watch reports. */
  public static final Duration UNWATCHED = Duration.ofSeconds(5);

  /** An object of another owner is in the way, and is seldom watched. */
  public static final Duration CONFLICT = Duration.ofSeconds(30);

  /**
   * Rights, quotas and StorageClasses change seldom, and a request that is refused looks like an
   * attack in an audit log.
   */
  public static final Duration REFUSED = Duration.ofMinutes(10);

  private Recheck() {}
}
