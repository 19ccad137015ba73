package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.base.Times;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * PURE: the kubelet's back-off before it starts seid again. The message of the waiting container
 * names its whole length, which counts from the end of the run before.
 *
 * @param run container id of the run that ended
 * @param exitCode how that run ended; null if the kubelet does not report it
 * @param endsAt when the kubelet starts seid again; empty if the message does not name the length
 */
public record RestartBackOff(String run, Integer exitCode, Optional<Instant> endsAt) {

  /** "back-off 1m20s restarting failed container=seid pod=...", seen on Kubernetes 1.37. */
  private static final Pattern LENGTH =
      Pattern.compile("^back-off ([0-9][0-9hms.]{0,19}) restarting failed container=");

  /** The back-off that seid is in. */
  public static Optional<RestartBackOff> of(Pod pod) {
    Optional<ContainerStatus> seid =
        PodFacts.status(pod, Names.SEID)
            .filter(
                status ->
                    PodFacts.waitsFor(status).filter(PodFacts.CRASH_LOOP::equals).isPresent());
    Optional<ContainerStateTerminated> end = seid.flatMap(PodFacts::lastEnd);
    if (end.isEmpty() || end.get().getContainerID() == null) {
      return Optional.empty();
    }
    Optional<Duration> length = length(seid.get().getState().getWaiting());
    Optional<Instant> endedAt = Times.parse(end.get().getFinishedAt());
    return Optional.of(
        new RestartBackOff(
            end.get().getContainerID(),
            end.get().getExitCode(),
            endedAt.flatMap(at -> length.map(at::plus))));
  }

  private static Optional<Duration> length(ContainerStateWaiting waiting) {
    Matcher named = LENGTH.matcher(waiting.getMessage() == null ? "" : waiting.getMessage());
    if (!named.find()) {
      return Optional.empty();
    }
    try {
      // Go's form of a duration is the part of ISO 8601 that follows "PT".
      return Optional.of(Duration.parse("PT" + named.group(1))).filter(Duration::isPositive);
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  /**
   * Returns whether the run before crashed, rather than ended well or by a signal that asked for
   * it.
   */
  public boolean isAfterCrash() {
    return exitCode != null && !SeidState.NO_CRASH.contains(exitCode);
  }

  /** The time until the kubelet starts the container again; zero if its end is not known. */
  public Duration left(Instant now) {
    return endsAt.map(end -> Duration.between(now, end)).orElse(Duration.ZERO);
  }
}
