package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.base.Times;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * PURE: crash loops. A container is in one from its third restart until it has run for ten minutes,
 * whether or not it is running or ready at the moment: a pod can be Ready for a second between two
 * crashes.
 */
public final class CrashLoops {

  /** Number of restarts from which crashes count as a loop. */
  static final int RESTARTS = 3;

  /** The kubelet resets the back-off of a container that has run for this long. */
  private static final Duration MEMORY = Duration.ofMinutes(10);

  private CrashLoops() {}

  /** Returns whether a container of the pod is in a crash loop. */
  public static boolean isIn(Pod pod, Instant now) {
    return PodFacts.statuses(pod).stream().anyMatch(status -> isIn(pod, status, now));
  }

  /**
   * End of the pod's last crash loop, provided that no container crashes again. Empty if there is
   * none, or if a looping container is down.
   */
  public static Optional<Instant> endOf(Pod pod, Instant now) {
    List<ContainerStatus> looping =
        PodFacts.statuses(pod).stream().filter(status -> isIn(pod, status, now)).toList();
    return looping.stream().allMatch(status -> endsAt(status).isPresent())
        ? looping.stream()
            .flatMap(container -> endsAt(container).stream())
            .max(Comparator.naturalOrder())
        : Optional.empty();
  }

  static boolean isIn(Pod pod, ContainerStatus status, Instant now) {
    Optional<ContainerStateTerminated> end = PodFacts.lastEnd(status);
    return PodFacts.restarts(status) >= RESTARTS
        && end.filter(last -> ran(last).compareTo(MEMORY) < 0).isPresent()
        && !PodFacts.isDone(pod, status)
        && endsAt(status).filter(over -> !over.isAfter(now)).isEmpty();
  }

  /** Time at which a running container will have run long enough; empty if it is down. */
  private static Optional<Instant> endsAt(ContainerStatus status) {
    return PodFacts.isRunning(status)
        ? PodFacts.runningSince(status)
            .or(() -> PodFacts.lastEnd(status).flatMap(CrashLoops::endedAt))
            .map(since -> since.plus(MEMORY))
        : Optional.empty();
  }

  private static Duration ran(ContainerStateTerminated end) {
    return Times.parse(end.getStartedAt())
        .flatMap(from -> endedAt(end).map(until -> Duration.between(from, until)))
        .orElse(Duration.ZERO);
  }

  private static Optional<Instant> endedAt(ContainerStateTerminated end) {
    return Times.parse(end.getFinishedAt());
  }
}
