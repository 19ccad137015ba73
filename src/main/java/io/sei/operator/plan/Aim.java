package io.sei.operator.plan;

import io.sei.operator.api.v1alpha1.PlanKind;
import java.time.Instant;
import java.util.Optional;

/**
 * Why a plan is due, or why there is to be none. What is reached already is not offered.
 *
 * @param rank which of several aims decides; of two in one rank, the one that is offered first
 * @param kind the plan that gets there; null if nothing is to be planned, and lower ranks wait
 * @param why what is different now, for a human
 * @param notBefore when the plan may start at the earliest
 */
public record Aim(Rank rank, PlanKind kind, String why, Optional<Instant> notBefore) {

  /** What a plan is needed for, most urgent first. */
  public enum Rank {
    /** What runs is what is asked for. */
    POD,

    /** There is something to run, once. */
    FIRST_RUN,

    /** It is configured as asked for: it reads its configuration when it starts. */
    CONFIGURATION,

    /** It starts. */
    START,

    /** It gets what it can do without. */
    REFINEMENT
  }

  /** The plan that an aim would take the place of. */
  public enum Over {
    /** There is none, or it has completed. */
    NONE,

    /** One that this build cannot run, of which nothing may be expected. */
    FOREIGN,

    /** One that is being carried out. */
    ACTIVE,

    /** One that failed, and is repeated after a while if nothing is offered. */
    FAILED
  }

  /** An aim for which a plan may start now. */
  public static Aim of(Rank rank, PlanKind kind, String why) {
    return new Aim(rank, kind, why, Optional.empty());
  }

  /** Nothing is to be planned, unless for an aim of a higher rank or one that is offered before. */
  public static Aim rest(Rank rank) {
    return new Aim(rank, null, "", Optional.empty());
  }
}
