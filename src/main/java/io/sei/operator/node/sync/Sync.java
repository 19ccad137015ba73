package io.sei.operator.node.sync;

import io.sei.operator.chain.SyncState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * PURE: what the answers of a node come to, one after the other.
 *
 * @param standing by the last of them
 * @param since when it has been so
 * @param last what it answered, if it did the last time or shortly before
 * @param reported the standing that has lasted long enough; empty as long as none has
 * @param heights of the run that answers; empty while it does not
 * @param hangsSince when a run that had served stopped answering; empty while it answers, and until
 *     the silence has lasted
 */
record Sync(
    CatchUpState standing,
    Instant since,
    Optional<SyncState> last,
    Optional<CatchUpState> reported,
    Optional<HeightRecord> heights,
    Optional<Instant> hangsSince) {

  /**
   * Time without an answer after which a run that has served counts as hanging: five polls, after
   * six readiness probes of the kubelet. A hang is reported within a minute, as a node is polled at
   * once when its pod is no longer Ready.
   */
  static final Duration HANGS = Duration.ofSeconds(20);

  /** The state of a node whose RPC was not asked yet. */
  static Sync unasked(Instant now) {
    return new Sync(
        CatchUpState.SILENT,
        now,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /**
   * Returns the state after an answer.
   *
   * @param frozen whether the node is to have no more blocks
   * @param others the greatest height that another node of the chain has said it has, 0 if none has
   */
  Sync heard(SyncState state, boolean frozen, long others, Instant now) {
    return next(
        frozen ? CatchUpState.FROZEN : CatchUpState.of(state, now),
        Optional.of(state),
        Optional.of(HeightRecord.after(heights, state, others, now)).filter(candidate -> !frozen),
        now);
  }

  /**
   * Returns the state after a poll without an answer; after the second in a row another run may
   * answer next.
   */
  Sync silent(Instant now) {
    return next(
        CatchUpState.SILENT,
        last,
        heights.filter(candidate -> standing != CatchUpState.SILENT),
        now);
  }

  /** Returns the state of another run, which has not answered yet. */
  Sync withoutRun() {
    return new Sync(standing, since, last, reported, Optional.empty(), Optional.empty());
  }

  /**
   * Returns the state with or without a hanging run.
   *
   * @param mayHang whether the run has served, and its pod is no longer Ready
   */
  Sync hanging(boolean mayHang, Instant now) {
    boolean hangs = mayHang && standing == CatchUpState.SILENT && !now.isBefore(since.plus(HANGS));
    return new Sync(
        standing, since, last, reported, heights, hangs ? Optional.of(since) : Optional.empty());
  }

  /**
   * Returns the state at a later time.
   *
   * @param ready whether the pod is Ready: that a node has caught up is reported together with that
   */
  Sync at(boolean ready, Instant now) {
    boolean settled =
        (ready && standing.isComplete()) || !now.isBefore(since.plus(standing.settles()));
    return settled
        ? new Sync(
            standing,
            since,
            standing == CatchUpState.SILENT ? Optional.empty() : last,
            Optional.of(standing),
            heights,
            hangsSince)
        : this;
  }

  /** Returns whether the node fetches blocks, and had another one minutes ago at most. */
  boolean isGettingBlocks(Instant now) {
    return standing == CatchUpState.CATCHING_UP
        && heights.filter(known -> now.isBefore(known.since().plus(HeightRecord.LONG))).isPresent();
  }

  /** Returns whether what is reported is how it stands. */
  boolean isSettled() {
    return reported.filter(state -> state == standing).isPresent();
  }

  /** Returns whether what a reconcile makes of it differs from what it made of an earlier one. */
  boolean isNews(Sync before) {
    return !reported.equals(before.reported)
        || !hangsSince.equals(before.hangsSince)
        || !heights
            .flatMap(HeightRecord::standstill)
            .equals(before.heights.flatMap(HeightRecord::standstill));
  }

  private Sync next(
      CatchUpState now, Optional<SyncState> state, Optional<HeightRecord> run, Instant at) {
    return new Sync(
        now,
        now == standing ? since : at,
        state,
        reported,
        run,
        hangsSince.filter(time -> now == standing));
  }
}
