package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.base.Times;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.time.Instant;
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
      Pattern.compile(
          "^back-off (?:(\\d{1,4})h)?(?:(\\d{1,4})m)?(?:(\\d{1,6})(?:\\.\\d{1,9})?s)?"
              + " restarting failed container=");

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
    Duration length =
        Duration.ofHours(number(named.group(1)))
            .plusMinutes(number(named.group(2)))
            .plusSeconds(number(named.group(3)));
    return Optional.of(length).filter(Duration::isPositive);
  }

  private static long number(String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }

  /** Whether the run before crashed, rather than ended well or by a signal that asked for it. */
  public boolean isAfterCrash() {
    return exitCode != null && !SeidState.NO_CRASH.contains(exitCode);
  }

  /** The time until the kubelet starts the container again; zero if its end is not known. */
  public Duration left(Instant now) {
    return endsAt.map(end -> Duration.between(now, end)).orElse(Duration.ZERO);
  }
}
