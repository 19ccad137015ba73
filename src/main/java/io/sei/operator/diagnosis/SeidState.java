package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.base.Times;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * PURE: state of seid in a pod as the kubelet reports it, run by run.
 *
 * @param status of the container; empty as long as the kubelet has not said anything
 */
public record SeidState(Pod pod, Optional<ContainerStatus> status) {

  /** Ended well, or by a signal that asked for it. */
  static final Set<Integer> NO_CRASH = Set.of(0, 143);

  private static final int MAX_WORDS = 300;

  /** A kubelet may report the end of a run together with the start of the next one. */
  private static final Duration RESTART = Duration.ofSeconds(5);

  /**
   * The end of a run that had been Ready.
   *
   * @param reason what it died of
   * @param words how it ended, for a human
   */
  public record Crash(StallReason reason, String words) {}

  /** Returns the state of seid in a pod. */
  public static SeidState of(Pod pod) {
    return new SeidState(pod, PodFacts.status(pod, Names.SEID));
  }

  /** The run that is under way. */
  public Optional<String> running() {
    return status.filter(PodFacts::isRunning).map(ContainerStatus::getContainerID);
  }

  /** Start of that run, by the kubelet's clock. */
  public Optional<Instant> runningSince() {
    return status.flatMap(PodFacts::runningSince);
  }

  /**
   * The run that is over, if its end may be due to the configuration that it had read. Empty as
   * long as the log of that run has to be read to tell.
   */
  public Optional<String> endedByConfiguration() {
    return status
        .filter(status -> !PodFacts.isRunning(status))
        .flatMap(PodFacts::lastEnd)
        .filter(end -> end.getContainerID() != null && mayBeOfConfiguration(end))
        .map(ContainerStateTerminated::getContainerID);
  }

  private boolean mayBeOfConfiguration(ContainerStateTerminated end) {
    if (CrashedRun.isConfiguredHalt(end)) {
      return true;
    }
    boolean isHalt =
        UpgradePanic.in(end.getMessage()).isPresent() || CauseOfDeath.isUnwrittenHalt(end);
    return !isHalt
        && !NO_CRASH.contains(end.getExitCode())
        && !CrashedRun.needsLog(pod)
        && CauseOfDeath.of(end).reason().mayBeOfConfiguration();
  }

  /**
   * Returns whether its first run, in this pod or since the pod's last update, is under way, and
   * its startup probe has not succeeded yet. A run that the kubelet began by itself is not the
   * first.
   */
  public boolean isFirstStart() {
    return status
        .filter(
            container ->
                PodFacts.isRunning(container) && Boolean.FALSE.equals(container.getStarted()))
        .filter(
            container -> PodFacts.restarts(container) == 0 && PodFacts.lastEnd(container).isEmpty())
        .isPresent();
  }

  /** Returns whether the startup probe of the run that is under way has succeeded. */
  public boolean hasStarted() {
    return status
        .filter(
            container ->
                PodFacts.isRunning(container) && Boolean.TRUE.equals(container.getStarted()))
        .isPresent();
  }

  /**
   * Returns whether the run that is under way has been Ready, by the conditions of the pod. A
   * kubelet of Kubernetes 1.37 or older may report a run as started that has yet to pass its
   * startup probe, so that does not count.
   */
  public boolean hasServed() {
    if (PodFacts.isReady(pod)) {
      return running().isPresent();
    }
    Optional<Instant> unready =
        PodFacts.condition(pod, "Ready", "False")
            .flatMap(ready -> Times.parse(ready.getLastTransitionTime()));
    return unready.isPresent()
        && runningSince().filter(began -> unready.get().isAfter(began.plus(RESTART))).isPresent();
  }

  /**
   * Returns whether it is known not to run: it has ended, waits after an error, or does not get
   * through any of its starts. One that has yet to start for the first time is not known not to.
   */
  public boolean isDown(Instant now) {
    return status
        .filter(
            container ->
                PodFacts.end(container).isPresent()
                    || PodFacts.waitsFor(container)
                        .filter(reason -> !PodFacts.STARTING.contains(reason))
                        .isPresent()
                    || PodFacts.upgradePanic(container).isPresent()
                    || CrashLoops.isIn(pod, container, now))
        .isPresent();
  }

  /** Returns whether the newest run that ended has halted. */
  public boolean hasHalted() {
    return status.flatMap(PodFacts::lastEnd).filter(SeidState::isHalt).isPresent();
  }

  private static boolean isHalt(ContainerStateTerminated end) {
    return CrashedRun.isConfiguredHalt(end) || UpgradePanic.in(end.getMessage()).isPresent();
  }

  /** Crash of a run; empty unless the kubelet reports one. A halt is none. */
  public Optional<Crash> crash(String run) {
    return status
        .flatMap(PodFacts::lastEnd)
        .filter(end -> run.equals(end.getContainerID()))
        .filter(end -> end.getExitCode() != null && !NO_CRASH.contains(end.getExitCode()))
        .filter(end -> !isHalt(end))
        .map(end -> new Crash(CauseOfDeath.of(end).reason(), describe(end)));
  }

  private static String describe(ContainerStateTerminated end) {
    String words = end.getMessage() == null ? "" : LastWords.quoted(end.getMessage(), MAX_WORDS);
    return "seid crashed after it was Ready: exit code %d%s"
        .formatted(end.getExitCode(), words.isEmpty() ? "" : ": " + words);
  }
}
