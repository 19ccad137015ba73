package io.sei.operator.plan;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * PURE: decides by plan triggers whether a plan is needed, and which.
 *
 * @param isKnown whether this build can run a stored plan
 */
public record Planner(Predicate<TaskPlan> isKnown) {

  /**
   * Decides.
   *
   * @param plan the stored one, or null
   * @param triggers those offered against the stored plan; an active or failed plan has a target
   *     and a kind
   */
  public PlanDecision decide(
      TaskPlan plan, Function<PlanConflict, Stream<PlanTrigger>> triggers, Instant now) {
    PlanConflict conflict = conflict(plan);
    Optional<PlanDecision> offered = first(triggers.apply(conflict), 0, now);
    return switch (conflict) {
      case NONE, FOREIGN -> offered.orElseGet(PlanDecision.Rest::new);
      case ACTIVE -> offered.orElseGet(PlanDecision.Continue::new);
      case FAILED -> offered.orElseGet(() -> afterBackoff(plan, triggers, now));
    };
  }

  private PlanConflict conflict(TaskPlan plan) {
    if (plan == null) {
      return PlanConflict.NONE;
    }
    if (!isOurs(plan)) {
      return PlanConflict.FOREIGN;
    }
    return plan.isActive()
        ? PlanConflict.ACTIVE
        : plan.isFailed() ? PlanConflict.FAILED : PlanConflict.NONE;
  }

  /**
   * Returns whether a plan has tasks, and records all that they act on. A configuration that is set
   * back to what the sidecar has already leaves nothing to do.
   */
  private boolean isOurs(TaskPlan plan) {
    PlanTarget target = plan.target();
    return plan.kind() != null
        && plan.phase() != null
        && plan.id() != null
        && (!plan.tasks().isEmpty() || plan.kind() == PlanKind.CONFIG)
        && target != null
        && target.specHash() != null
        && target.image() != null
        && target.sidecarImage() != null
        && isKnown.test(plan);
  }

  private static Optional<PlanDecision> first(
      Stream<PlanTrigger> triggers, int attempt, Instant now) {
    return triggers
        .min(Comparator.comparing(PlanTrigger::rank))
        .map(trigger -> decision(trigger, attempt, now));
  }

  private static PlanDecision decision(PlanTrigger trigger, int attempt, Instant now) {
    Optional<Duration> left =
        trigger.notBefore().map(time -> Duration.between(now, time)).filter(Duration::isPositive);
    if (left.isPresent()) {
      return new PlanDecision.BackOff(left.get());
    }
    return trigger.kind() == null
        ? new PlanDecision.Rest()
        : new PlanDecision.Start(trigger.kind(), trigger.why(), attempt);
  }

  private static PlanDecision afterBackoff(
      TaskPlan plan, Function<PlanConflict, Stream<PlanTrigger>> triggers, Instant now) {
    int attempt = (plan.attempt() == null ? 0 : plan.attempt()) + 1;
    boolean isPast = plan.finishedAt() != null && !plan.finishedAt().isAfter(now);
    Instant failedAt = isPast ? plan.finishedAt() : Instant.EPOCH;
    Duration left = Duration.between(now, failedAt.plus(Backoff.OF_PLANS.after(attempt)));
    return left.isPositive()
        ? new PlanDecision.BackOff(left)
        : first(triggers.apply(PlanConflict.NONE), attempt, now).orElseGet(PlanDecision.Rest::new);
  }
}
