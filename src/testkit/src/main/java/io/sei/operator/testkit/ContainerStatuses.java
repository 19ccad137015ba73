package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** PURE: a container and where its runs stand -> its status, as a kubelet reports it. */
final class ContainerStatuses {
  /**
   * Container without a handler of SIGTERM; seid, the sidecar and the proxy have one, and end well.
   */
  private static final String EXPORTER = "cosmos-exporter";

  private static final int EXIT_ON_SIGTERM = 143;

  /** Ends the name of a tag of an image that has another. */
  static final String ANOTHER_TAG = "-another-tag";

  private final Pod pod;

  ContainerStatuses(Pod pod) {
    this.pod = pod;
  }

  static String time(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  static String imageId(String image) {
    String first = image.replace(ANOTHER_TAG, "");
    return "sim://" + first + "@sha256:" + Digests.sha256(first);
  }

  ContainerStatus waiting(Container container, String reason, String message) {
    return new ContainerStatusBuilder()
        .withName(container.getName())
        .withImage(container.getImage())
        .withImageID("")
        .withReady(false)
        .withStarted(false)
        .withRestartCount(0)
        .withState(waitingState(reason, message))
        .build();
  }

  ContainerStatus running(Container container, ContainerRun run, boolean ready) {
    ContainerState running =
        new ContainerStateBuilder()
            .withNewRunning()
            .withStartedAt(time(run.startedAt()))
            .endRunning()
            .build();
    return ran(container, run).withReady(ready).withStarted(true).withState(running).build();
  }

  /** A container that has just crashed: how this run ended, and the one before it. */
  ContainerStatus crashed(Container container, ContainerRun run) {
    ContainerStatusBuilder status = ran(container, run).withReady(false).withStarted(false);
    status.withState(status.buildLastState());
    if (run.restarts() == 0) {
      status.withLastState(null);
    }
    return status.build();
  }

  ContainerStatus backingOff(Container container, ContainerRun run) {
    String message =
        "back-off %s restarting failed container=%s pod=%s_%s(%s)"
            .formatted(
                GoDuration.of(Duration.between(run.crashedAt(), run.retryAt())),
                container.getName(),
                pod.getMetadata().getName(),
                pod.getMetadata().getNamespace(),
                pod.getMetadata().getUid());
    return ran(container, run)
        .withReady(false)
        .withStarted(false)
        .withState(waitingState("CrashLoopBackOff", message))
        .build();
  }

  /** A container that was stopped for another image, which cannot be had. */
  ContainerStatus awaiting(Container container, ContainerRun run, String reason, String message) {
    return ran(container, run)
        .withReady(false)
        .withStarted(false)
        .withState(waitingState(reason, message))
        .build();
  }

  /** An init container that did its work. */
  ContainerStatus completed(Container container, ContainerRun run) {
    return ran(container, run)
        .withReady(true)
        .withState(terminated(container, run, 0, "Completed", null, run.startedAt()))
        .build();
  }

  /** A container that ended in a pod that restarts nothing. */
  ContainerStatus ended(Container container, ContainerRun run) {
    Crash end = run.end();
    return ran(container, run)
        .withReady(false)
        .withStarted(false)
        .withState(
            terminated(
                container,
                run,
                end.exitCode(),
                end.exitCode() == 0 ? "Completed" : "Error",
                end.exitCode() == 0 && !PodShape.inspects(container)
                    ? null
                    : message(container, end),
                run.crashedAt()))
        .build();
  }

  /** A container that was stopped with its pod. */
  ContainerStatus stopped(Container container, ContainerRun run, Instant now) {
    if (run.hasEnded()) {
      return ended(container, run);
    }
    if (run.isCrashed()) {
      return crashed(container, run);
    }
    boolean hears = !container.getName().equals(EXPORTER);
    return ran(container, run)
        .withReady(false)
        .withStarted(false)
        .withState(
            terminated(
                container,
                run,
                hears ? 0 : EXIT_ON_SIGTERM,
                hears ? "Completed" : "Error",
                null,
                now))
        .build();
  }

  private ContainerStatusBuilder ran(Container container, ContainerRun run) {
    ContainerStatusBuilder status =
        new ContainerStatusBuilder()
            .withName(container.getName())
            .withImage(run.image())
            .withImageID(imageId(run.image()))
            .withContainerID(containerId(container, run.restarts()))
            .withRestartCount(run.restarts());
    Crash crash = run.lastCrash();
    if (crash != null) {
      // One that runs again has another id than the run that ended.
      boolean isOver = run.isCrashed() || run.wanted() != null;
      status.withLastState(
          terminated(
              container,
              run,
              crash.exitCode(),
              crash.exitCode() == 0 ? "Completed" : "Error",
              message(container, crash),
              run.crashedAt(),
              isOver ? run.restarts() : run.restarts() - 1));
    }
    return status;
  }

  private static String message(Container container, Crash crash) {
    boolean fromLog = "FallbackToLogsOnError".equals(container.getTerminationMessagePolicy());
    return fromLog ? crash.log() : null;
  }

  private ContainerState terminated(
      Container container,
      ContainerRun run,
      int exitCode,
      String reason,
      String message,
      Instant finishedAt) {
    return terminated(container, run, exitCode, reason, message, finishedAt, run.restarts());
  }

  private ContainerState terminated(
      Container container,
      ContainerRun run,
      int exitCode,
      String reason,
      String message,
      Instant finishedAt,
      int restarts) {
    return new ContainerStateBuilder()
        .withNewTerminated()
        .withExitCode(exitCode)
        .withReason(reason)
        .withMessage(message)
        .withStartedAt(time(run.startedAt()))
        .withFinishedAt(time(finishedAt))
        .withContainerID(containerId(container, restarts))
        .endTerminated()
        .build();
  }

  private String containerId(Container container, int restarts) {
    String run = pod.getMetadata().getUid() + "/" + container.getName() + "/" + restarts;
    return "sim://" + Digests.sha256(run);
  }

  private static ContainerState waitingState(String reason, String message) {
    return new ContainerStateBuilder()
        .withNewWaiting()
        .withReason(reason)
        .withMessage(message)
        .endWaiting()
        .build();
  }
}
