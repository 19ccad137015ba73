package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * State of a container that was started.
 *
 * @param startedAt when its last run started
 * @param restarts how often it was restarted
 * @param lastCrash how its previous run ended, null when there was none
 * @param crashedAt when that was
 * @param retryAt when it is restarted next, null while it runs
 * @param end how it ended for good, null if it did not
 * @param image what its last run is a run of
 * @param restartsBefore how often it had been restarted when it got that image: the back-off is
 *     counted by image (facts of a real kubelet, 1.37)
 * @param wanted the image that it waits for, null while it waits for none
 */
record ContainerRun(
    Instant startedAt,
    int restarts,
    Crash lastCrash,
    Instant crashedAt,
    Instant retryAt,
    Crash end,
    String image,
    int restartsBefore,
    String wanted) {

  private static final int LONGEST_BACKOFF_DOUBLINGS = 6;

  /** A real kubelet shows it for one to two seconds. */
  private static final Duration END_IS_SHOWN = Duration.ofMillis(50);

  /** A probe finds a run that follows another at the earliest after this. */
  private static final Duration FIRST_PROBE = Duration.ofMillis(100);

  /** End of a run that is stopped by SIGTERM. */
  private static final Crash STOPPED = new Crash(0, null);

  /** The first run. */
  static ContainerRun started(Instant now, String image) {
    return new ContainerRun(now, 0, null, null, null, null, image, 0, null);
  }

  /** A run that another kubelet started. */
  static ContainerRun resumed(Instant startedAt, ContainerStatus status) {
    int restarts = status.getRestartCount();
    return new ContainerRun(
        startedAt, restarts, null, null, null, null, status.getImage(), restarts, null);
  }

  /** Returns the run after its process has ended in a pod that restarts nothing. */
  ContainerRun ended(Crash how, Instant now) {
    return hasEnded()
        ? this
        : new ContainerRun(startedAt, restarts, null, now, null, how, image, restartsBefore, null);
  }

  /**
   * Returns the run after the pod's spec has named an image. Another one than before is run within
   * a second, whatever the container waits for, once it is there (seen on a real kubelet, 1.37);
   * until then nothing runs.
   */
  ContainerRun of(String other, boolean canPull, Instant now) {
    if (other.equals(image) && wanted == null) {
      return this;
    }
    Crash last = isCrashed() || wanted != null ? lastCrash : STOPPED;
    Instant lastEnd = isCrashed() || wanted != null ? crashedAt : now;
    return canPull
        ? new ContainerRun(now, restarts + 1, last, lastEnd, null, null, other, restarts + 1, null)
        : new ContainerRun(
            startedAt, restarts, last, lastEnd, null, null, image, restartsBefore, other);
  }

  /**
   * Returns the time from which a run of another image than the pod was made with can be Ready;
   * empty for any other.
   */
  Optional<Instant> probedAt() {
    return restartsBefore > 0 && restarts == restartsBefore
        ? Optional.of(startedAt.plus(FIRST_PROBE))
        : Optional.empty();
  }

  boolean hasEnded() {
    return end != null;
  }

  /**
   * Returns the time from which the status reports the wait for the next run instead of the crash.
   */
  Instant backsOffAt() {
    return crashedAt.plus(END_IS_SHOWN);
  }

  boolean isCrashed() {
    return retryAt != null;
  }

  /** Returns the run after {@code now}, with the exit of its process, if there is one. */
  ContainerRun next(Optional<Crash> crash, Instant now, Duration backoff) {
    if (wanted != null) {
      return this;
    }
    if (crash.isEmpty()) {
      boolean backsOff = STOPPED.equals(lastCrash) && isCrashed() && now.isBefore(retryAt);
      return isCrashed() && !backsOff
          ? new ContainerRun(
              now, restarts + 1, lastCrash, crashedAt, null, null, image, restartsBefore, null)
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

  /**
   * Returns the run after a process in the pod has sent it SIGTERM: it ends well, and is run again,
   * the first time of an image at once.
   */
  ContainerRun terminated(Instant now, Duration backoff) {
    if (isCrashed() || hasEnded() || wanted != null) {
      return this;
    }
    boolean first = restarts <= restartsBefore;
    return crashed(STOPPED, restarts, now, first ? Duration.ZERO : backoff);
  }

  /** Returns the run of the next process, of one that ended and was started again at once. */
  ContainerRun restarted(Instant now) {
    return new ContainerRun(
        now, restarts + 1, STOPPED, now, null, null, image, restartsBefore, null);
  }

  private ContainerRun crashed(Crash crash, int restarts, Instant now, Duration backoff) {
    int ofThisImage = Math.max(0, restarts - restartsBefore);
    Duration wait = backoff.multipliedBy(1L << Math.min(ofThisImage, LONGEST_BACKOFF_DOUBLINGS));
    return new ContainerRun(
        startedAt, restarts, crash, now, now.plus(wait), null, image, restartsBefore, null);
  }
}
