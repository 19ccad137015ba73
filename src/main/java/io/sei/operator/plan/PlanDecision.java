package io.sei.operator.plan;

import io.sei.operator.api.v1alpha1.PlanKind;
import java.time.Duration;

/** Decision about a node's plan. */
public sealed interface PlanDecision {

  /** Go on with the active plan. */
  record Continue() implements PlanDecision {}

  /**
   * Make a plan, replacing the current one, if any.
   *
   * @param why what is different now, for a human
   * @param attempt how many plans for the same target failed before
   */
  record Start(PlanKind kind, String why, int attempt) implements PlanDecision {}

  /** There is nothing to do. */
  record Rest() implements PlanDecision {}

  /** A plan is due, and starts after this time at the earliest, such as after a failed one. */
  record BackOff(Duration after) implements PlanDecision {}
}
