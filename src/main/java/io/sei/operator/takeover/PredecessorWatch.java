package io.sei.operator.takeover;

import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.takeover.PredecessorWrites.Write;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Notices that a Go operator writes to a node after this one has started, so that the two do not
 * undo each other's work in turns. Costs no request as long as none does.
 */
public final class PredecessorWatch {

  /** The Go operator looks at a node that runs every 30 s; it may be late. */
  public static final Duration SILENCE = Duration.ofMinutes(1);

  private final BooleanSupplier runs;
  private final Instant started;
  private final Clock clock;
  private volatile Instant stopped = Instant.MIN;

  /**
   * @param runs whether a Go operator is known to run; asked only after it has written, and has
   *     then been silent
   * @param started what was written earlier was written before this operator took over
   */
  public PredecessorWatch(BooleanSupplier runs, Instant started, Clock clock) {
    this.runs = runs;
    this.started = started;
    this.clock = clock;
  }

  /**
   * The write for which this operator keeps off a node: a Go operator's last, until that operator
   * has stopped or, where this cannot be known, has been silent for a minute.
   *
   * @param node as cached
   */
  public Optional<Write> contest(SeiNode node, Optional<StatefulSet> statefulSet) {
    return PredecessorWrites.latest(node, statefulSet)
        .filter(write -> write.at().isAfter(started))
        .filter(write -> isRunningSince(write.at()));
  }

  private boolean isRunningSince(Instant write) {
    if (stopped.isAfter(write)) {
      return false;
    }
    Instant now = clock.instant();
    if (now.isBefore(write.plus(SILENCE)) || runs.getAsBoolean()) {
      return true;
    }
    stopped = now;
    return false;
  }
}
