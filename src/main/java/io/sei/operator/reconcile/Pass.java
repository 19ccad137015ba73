package io.sei.operator.reconcile;

import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.plan.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * One pass of a reconcile: the draft of the status, what the API server rejected, and when to
 * reconcile again.
 *
 * @param <S> the status
 */
public abstract class Pass<S> {

  private final S stored;
  private final Optional<Instant> stalledSince;
  private S draft;
  private final ApiRejections refusals = new ApiRejections();
  private Optional<String> asking = Optional.empty();
  private Optional<Duration> recheck = Optional.empty();

  /**
   * @param stored the status that the pass begins with
   * @param stalledSince since when the stored status says Stalled=True; empty if it does not
   */
  protected Pass(S stored, Optional<Instant> stalledSince) {
    this.stored = stored;
    this.draft = stored;
    this.stalledSince = stalledSince;
  }

  /** Time of the observation. */
  public abstract Instant now();

  /** The plan as the pass has left it, also one that has ended; null if there is none. */
  public abstract TaskPlan plan();

  /** The status that is stored; read-only. Plans, vetoes and plan tasks decide on it. */
  public final S stored() {
    return stored;
  }

  /** The status that the pass will write: the stored one with the changes so far. For reports. */
  public final S draft() {
    return draft;
  }

  /** Changes the draft. */
  public final void update(UnaryOperator<S> change) {
    draft = change.apply(draft);
  }

  /** Returns the writes that the API server rejected. */
  public final ApiRejections refusals() {
    return refusals;
  }

  /** Notes what a step leaves to be done. */
  public final void take(Next next) {
    switch (next) {
      case Next.GoOn _ -> {}
      case Next.WriteFirst first -> asking = Optional.of(first.by());
      case Next.Rest rest -> rest.recheck().ifPresent(this::recheckAfter);
      case Next.HandsOff off -> recheckAfter(off.recheck());
    }
  }

  /** Asks for another reconcile after {@code delay} at the latest. */
  public final void recheckAfter(Duration delay) {
    recheck =
        recheck.filter(duration -> duration.compareTo(delay) <= 0).or(() -> Optional.of(delay));
  }

  /** Which step asks for another pass once the status is written; empty if none does. */
  final Optional<String> asking() {
    return asking;
  }

  /** Time until a refused request is repeated; it grows with the number of refusals. */
  public final Duration refusalRecheck() {
    return Backoff.OF_TASKS.whileFailing(stalledSince, now());
  }

  /** Time until the next reconcile if no event arrives first. */
  public final Optional<Duration> recheck() {
    if (refusals.message().isPresent()) {
      recheckAfter(refusalRecheck());
    }
    return recheck;
  }
}
