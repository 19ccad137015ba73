package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Where a container that was started stands.
 *
 * @param startedAt when its last run started
 * @param restarts how often it was restarted
 * @param lastCrash how its previous run ended, null when there was none
 * @param crashedAt when that was
 * @param retryAt when it is restarted next, null while it runs
 * @param end how it ended for good, null if it did not
 */
record ContainerRun(
    Instant startedAt,
    int restarts,
    Crash lastCrash,
    Instant crashedAt,
    Instant retryAt,
    Crash end) {

  private static final int LONGEST_BACKOFF_DOUBLINGS = 6;

  /** A real kubelet shows it for one to two seconds. */
  private static final Duration END_IS_SHOWN = Duration.ofMillis(50);

  /** The first run. */
  static ContainerRun started(Instant now) {
    return new ContainerRun(now, 0, null, null, null, null);
  }

  /** A run that another kubelet started. */
  static ContainerRun resumed(Instant startedAt, ContainerStatus status) {
    return new ContainerRun(startedAt, status.getRestartCount(), null, null, null, null);
  }

  /** This run after its process has ended in a pod that restarts nothing. */
  ContainerRun ended(Crash how, Instant now) {
    return hasEnded() ? this : new ContainerRun(startedAt, restarts, null, now, null, how);
  }

  boolean hasEnded() {
    return end != null;
  }

  /** When the end of a crashed run gives way to the wait for the next one in what is reported. */
  Instant backsOffAt() {
    return crashedAt.plus(END_IS_SHOWN);
  }

  boolean isCrashed() {
    return retryAt != null;
  }

  /** This run after {@code now}, given how its process exits, if it does. */
  ContainerRun next(Optional<Crash> crash, Instant now, Duration backoff) {
    if (crash.isEmpty()) {
      return isCrashed()
          ? new ContainerRun(now, restarts + 1, lastCrash, crashedAt, null, null)
          : this;
    }
    if (!isCrashed()) {
      return crashed(crash.get(), restarts, now, backoff);
    }
    if (now.isBefore(retryAt)) {
      return this;
    }
    return crashed(crash.get(), restarts + 1, now, backoff);
  }

  private ContainerRun crashed(Crash crash, int restarts, Instant now, Duration backoff) {
    Duration wait = backoff.multipliedBy(1L << Math.min(restarts, LONGEST_BACKOFF_DOUBLINGS));
    return new ContainerRun(startedAt, restarts, crash, now, now.plus(wait), null);
  }
}
