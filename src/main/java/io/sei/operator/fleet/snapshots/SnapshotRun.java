package io.sei.operator.fleet.snapshots;

import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Phase;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Request;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Run;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Taken;
import io.sei.operator.render.SnapshotStop;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Transitions of a snapshot in progress. Whatever goes wrong, the node starts first; a
 * VolumeSnapshot whose creationTime was not seen while the node was stopped is not trusted, and
 * deleted. The snapshot controller tries again what failed, so an error may go away for as long as
 * the node is stopped; one that does not is the driver's failure.
 */
final class SnapshotRun {

  /** The node starts by itself at the deadline, by a clock that may differ a little. */
  private static final Duration MARGIN = Duration.ofSeconds(15);

  /** Time for which a node counts as unavailable for a snapshot after it was allowed to start. */
  private static final Duration COMING_BACK = Duration.ofMinutes(10);

  /** Storage that copies elsewhere takes hours for a large volume. */
  private static final Duration FINISHING = Duration.ofHours(24);

  /** A clock that was set back further than this would wait for too long. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  /**
   * Observed state of a run.
   *
   * @param wanted whether the fleet still has a schedule
   * @param node whether the node is there, and is not being deleted
   * @param stopped whether the node is stopped by the annotation of this run, as far as it is
   *     looked at
   * @param podGone whether there is no pod of the node, read live
   * @param back whether the node needs no more waiting for: it is Ready, or is down for its own
   *     reasons
   * @param height the height that the node reported before it stopped
   * @param snapshot the VolumeSnapshot, if it is there
   */
  record Seen(
      boolean wanted,
      boolean node,
      boolean stopped,
      boolean podGone,
      boolean back,
      Long height,
      Optional<ObservedSnapshot> snapshot) {}

  private SnapshotRun() {}

  /** The record after what is seen: the same as before if it has to wait. */
  static FleetSnapshots next(FleetSnapshots record, Seen seen, Instant now) {
    Run run = record.active();
    return switch (run.phase()) {
      case STOPPING -> record.withActive(stopping(run, seen, now));
      case TAKING -> record.withActive(taking(run, seen, now));
      case STARTING -> starting(record, seen, now);
      case FINISHING -> finishing(record, seen, now);
    };
  }

  private static Run stopping(Run run, Seen seen, Instant now) {
    Optional<String> cancelled = cancelled(run, seen);
    if (cancelled.isPresent()) {
      return failed(run, cancelled.get(), now);
    }
    if (isOver(run, now)) {
      return failed(run, "node %s did not stop within 10 minutes".formatted(run.node()), now);
    }
    return seen.stopped() && seen.podGone()
        ? run.with(builder -> builder.phase(Phase.TAKING).height(seen.height()))
        : run;
  }

  private static Run taking(Run run, Seen seen, Instant now) {
    Optional<ObservedSnapshot> snapshot = seen.snapshot();
    Optional<String> cancelled = cancelled(run, seen);
    if (cancelled.isPresent()) {
      return failed(run, cancelled.get(), now);
    }
    if (snapshot.filter(candidate -> !candidate.ours()).isPresent()) {
      return failed(run, named(run) + " was not created by this operator", now);
    }
    boolean stopped = seen.stopped() && seen.podGone() && !isOver(run, now);
    Instant created = snapshot.map(ObservedSnapshot::creationTime).orElse(null);
    if (created != null && stopped) {
      return run.with(
          builder -> builder.phase(Phase.STARTING).startedAt(now).creationTime(created));
    }
    if (stopped) {
      return run;
    }
    String why =
        snapshot
            .map(ObservedSnapshot::error)
            .map(error -> named(run) + ": " + error)
            .orElse(named(run) + " was not taken while the node was stopped");
    // The operator may have been away; then nothing speaks against the driver.
    boolean isUntaken = snapshot.isPresent() && created == null;
    return isOver(run, now) && isUntaken ? failedByDriver(run, why, now) : failed(run, why, now);
  }

  private static FleetSnapshots starting(FleetSnapshots record, Seen seen, Instant now) {
    Run run = record.active();
    boolean given = isPast(run.startedAt(), COMING_BACK, now);
    if (!seen.back() && seen.node() && !given) {
      return record;
    }
    if (run.error() == null) {
      return record.withActive(run.withPhase(Phase.FINISHING));
    }
    boolean gone =
        seen.snapshot().filter(snapshot -> snapshot.ours() && !snapshot.deleting()).isEmpty();
    int failures = record.failures() == null ? 1 : record.failures() + 1;
    Request suspended = Boolean.TRUE.equals(run.driverFailed()) ? run.asked() : null;
    return gone || given
        ? record.with(
            builder ->
                builder.active(null).failures(failures).message(run.error()).suspended(suspended))
        : record;
  }

  private static FleetSnapshots finishing(FleetSnapshots record, Seen seen, Instant now) {
    Run run = record.active();
    Optional<ObservedSnapshot> snapshot =
        seen.snapshot().filter(candidate -> candidate.ours() && !candidate.deleting());
    if (snapshot.isEmpty()) {
      return record.withActive(
          failed(run, named(run) + " was deleted before it was ready to use", now));
    }
    if (snapshot.get().ready()) {
      var taken = new Taken(run.snapshot(), run.node(), run.height(), run.creationTime());
      return record.with(builder -> builder.active(null).latest(taken).message(null));
    }
    String error = snapshot.get().error() == null ? "" : ": " + snapshot.get().error();
    return isPast(run.stoppedAt(), FINISHING, now)
        ? record.withActive(
            failedByDriver(run, named(run) + " is not ready to use after 24 hours" + error, now))
        : record;
  }

  /** The run once it failed: its node starts, and what there is of the snapshot is deleted. */
  static Run failed(Run run, String why, Instant now) {
    return run.with(builder -> builder.phase(Phase.STARTING).startedAt(now).error(why));
  }

  /** Returns a failed run after which another attempt would stop a node in vain. */
  static Run failedByDriver(Run run, String why, Instant now) {
    return failed(run, why, now).withDriverFailed(true);
  }

  private static Optional<String> cancelled(Run run, Seen seen) {
    if (!seen.wanted()) {
      return Optional.of("spec.dataVolume.snapshots was removed");
    }
    return seen.node()
        ? Optional.empty()
        : Optional.of("node %s is being deleted".formatted(run.node()));
  }

  private static boolean isOver(Run run, Instant now) {
    return isPast(run.stoppedAt(), SnapshotStop.LONGEST.minus(MARGIN), now);
  }

  private static boolean isPast(Instant since, Duration limit, Instant now) {
    return since == null
        || !now.isBefore(since.plus(limit))
        || now.isBefore(since.minus(CLOCK_SKEW));
  }

  private static String named(Run run) {
    return "VolumeSnapshot " + run.snapshot();
  }
}
