package io.sei.operator.plan;

import io.sei.operator.api.v1alpha1.PlanKind;
import java.time.Instant;
import java.util.Optional;

/**
 * Reason to start a plan or, where {@code kind} is null, to start none of this rank or a lower one.
 *
 * @param rank the first in the order of {@link Rank} decides, even if its {@code notBefore} has not
 *     come; of two triggers of one rank, the one that is offered first
 * @param kind the plan to start; null if nothing is planned, and lower ranks wait
 * @param why what differs now, for a human
 * @param notBefore when the plan may start at the earliest
 */
public record PlanTrigger(Rank rank, PlanKind kind, String why, Optional<Instant> notBefore) {

  /** Purposes of plans, most urgent first. */
  public enum Rank {
    /** The pod runs what the spec asks for. */
    POD,

    /** The node runs for the first time. */
    FIRST_RUN,

    /** Seid has the configuration that the spec asks for, which it reads when it starts. */
    CONFIGURATION,

    /** Seid starts. */
    START,

    /** An improvement that is never urgent. */
    REFINEMENT
  }

  /** The stored plan that a new one would replace. */
  public enum PlanConflict {
    /** There is no plan, or a completed one. */
    NONE,

    /** A plan that this build cannot run, such as one with unknown tasks; it does not continue. */
    FOREIGN,

    /** A plan that is carried out. */
    ACTIVE,

    /** A failed plan; without another trigger an update is repeated after a back-off. */
    FAILED
  }

  /** A trigger of a plan that may start now. */
  public static PlanTrigger of(Rank rank, PlanKind kind, String why) {
    return new PlanTrigger(rank, kind, why, Optional.empty());
  }

  /** Starts no plan, unless for a trigger of a higher rank or one that is offered before. */
  public static PlanTrigger rest(Rank rank) {
    return new PlanTrigger(rank, null, "", Optional.empty());
  }
}
