package io.sei.operator.plan;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.plan.Aim.Over;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * PURE: decides from what there is to aim at whether a plan is needed, and which.
 *
 * @param isKnown whether this build can run a stored plan
 */
public record Planner(Predicate<TaskPlan> isKnown) {

  /**
   * Decides.
   *
   * @param plan the stored one, or null
   * @param aims what is offered in place of a plan; of an active or failed one, the target and the
   *     kind are there
   */
  public PlanDecision decide(TaskPlan plan, Function<Over, Stream<Aim>> aims, Instant now) {
    Over over = over(plan);
    Optional<PlanDecision> offered = first(aims.apply(over), 0, now);
    return switch (over) {
      case NONE, FOREIGN -> offered.orElseGet(PlanDecision.Rest::new);
      case ACTIVE -> offered.orElseGet(PlanDecision.Continue::new);
      case FAILED -> offered.orElseGet(() -> afterBackoff(plan, aims, now));
    };
  }

  private Over over(TaskPlan plan) {
    if (plan == null) {
      return Over.NONE;
    }
    if (!isOurs(plan)) {
      return Over.FOREIGN;
    }
    return plan.isActive() ? Over.ACTIVE : plan.isFailed() ? Over.FAILED : Over.NONE;
  }

  /**
   * Whether a plan has tasks, and records all that they act on. A configuration that is set back to
   * what the sidecar has already leaves nothing to do.
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

  private static Optional<PlanDecision> first(Stream<Aim> aims, int attempt, Instant now) {
    return aims.min(Comparator.comparing(Aim::rank)).map(aim -> decision(aim, attempt, now));
  }

  private static PlanDecision decision(Aim aim, int attempt, Instant now) {
    Optional<Duration> left =
        aim.notBefore().map(it -> Duration.between(now, it)).filter(Duration::isPositive);
    if (left.isPresent()) {
      return new PlanDecision.BackOff(left.get());
    }
    return aim.kind() == null
        ? new PlanDecision.Rest()
        : new PlanDecision.Start(aim.kind(), aim.why(), attempt);
  }

  private static PlanDecision afterBackoff(
      TaskPlan plan, Function<Over, Stream<Aim>> aims, Instant now) {
    int attempt = (plan.attempt() == null ? 0 : plan.attempt()) + 1;
    boolean isPast = plan.finishedAt() != null && !plan.finishedAt().isAfter(now);
    Instant failedAt = isPast ? plan.finishedAt() : Instant.EPOCH;
    Duration left = Duration.between(now, failedAt.plus(Backoff.OF_PLANS.after(attempt)));
    return left.isPositive()
        ? new PlanDecision.BackOff(left)
        : first(aims.apply(Over.NONE), attempt, now).orElseGet(PlanDecision.Rest::new);
  }
}
