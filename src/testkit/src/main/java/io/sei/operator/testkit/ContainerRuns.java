package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The containers of a pod that were started so far, in the kubelet's order: init containers one
 * after the other, then all others at once.
 *
 * @param byName the runs by container name
 */
record ContainerRuns(Map<String, ContainerRun> byName) {
  static final ContainerRuns NONE = new ContainerRuns(Map.of());

  /** The runs a kubelet reported before this one took over; a crashed container starts anew. */
  static ContainerRuns reported(Pod pod) {
    Map<String, ContainerRun> runs = new HashMap<>();
    Stream.of(pod.getStatus().getInitContainerStatuses(), pod.getStatus().getContainerStatuses())
        .flatMap(List::stream)
        .forEach(
            status -> {
              ContainerState state = status.getState();
              if (state != null && state.getRunning() != null) {
                Instant startedAt = Instant.parse(state.getRunning().getStartedAt());
                runs.put(status.getName(), ContainerRun.resumed(startedAt, status));
              } else if (state != null && state.getTerminated() != null) {
                Instant startedAt = Instant.parse(state.getTerminated().getStartedAt());
                runs.put(status.getName(), ContainerRun.resumed(startedAt, status));
              }
            });
    return new ContainerRuns(Map.copyOf(runs));
  }

  boolean has(Container container) {
    return byName.containsKey(container.getName());
  }

  Optional<ContainerRun> of(Container container) {
    return Optional.ofNullable(byName.get(container.getName()));
  }

  /** Returns whether a container of this name runs now. */
  boolean isUp(String name) {
    ContainerRun run = byName.get(name);
    return run != null && !run.isCrashed() && !run.hasEnded() && run.wanted() == null;
  }

  /** Returns the time at which time alone will change a container; empty if there is none. */
  Optional<Instant> nextChange(Instant now) {
    return byName.values().stream()
        .flatMap(
            run ->
                run.isCrashed()
                    ? Stream.of(run.backsOffAt(), run.retryAt())
                    : run.probedAt().stream())
        .filter(at -> at.isAfter(now))
        .min(Instant::compareTo);
  }

  /**
   * Returns the time of the next look: now, or that of the next change since the last look. A look
   * that is late leaves no change out, since a real kubelet says each of them for seconds.
   */
  Instant due(Instant last, Instant now) {
    return nextChange(last).filter(now::isAfter).orElse(now);
  }

  /** The runs after a container of this name has ended for good. */
  ContainerRuns ended(String name, Crash how, Instant now) {
    Map<String, ContainerRun> next = new HashMap<>(byName);
    next.computeIfPresent(name, (key, run) -> run.ended(how, now));
    return new ContainerRuns(Map.copyOf(next));
  }

  /** The runs after a container of this name was sent SIGTERM by another one. */
  ContainerRuns terminated(String name, Instant now, Duration backoff) {
    Map<String, ContainerRun> next = new HashMap<>(byName);
    next.computeIfPresent(name, (key, run) -> run.terminated(now, backoff));
    return new ContainerRuns(Map.copyOf(next));
  }

  /** The runs after a container of this name was restarted at once. */
  ContainerRuns restarted(String name, Instant now) {
    Map<String, ContainerRun> next = new HashMap<>(byName);
    next.computeIfPresent(name, (key, run) -> run.restarted(now));
    return new ContainerRuns(Map.copyOf(next));
  }

  /** The runs after {@code now}. */
  ContainerRuns advance(Pod pod, ActiveFaults faults, Instant now, Duration backoff) {
    Map<String, ContainerRun> next = new HashMap<>(byName);
    boolean initialized = PodShape.containers(pod).stream().anyMatch(this::has);
    for (Container init : PodShape.initContainers(pod)) {
      if (!has(init) && !faults.canPull(init)) {
        return new ContainerRuns(Map.copyOf(next));
      }
      Optional<Crash> crash =
          PodShape.isNativeSidecar(init) ? faults.crashOf(pod, init) : Optional.empty();
      ContainerRun run =
          PodShape.isNativeSidecar(init)
              ? step(init, faults, crash, now, backoff)
              : of(init).orElseGet(() -> ContainerRun.started(now, init.getImage()));
      next.put(init.getName(), run);
      if (run.isCrashed() && !initialized) {
        return new ContainerRuns(Map.copyOf(next));
      }
    }
    for (Container container : PodShape.containers(pod)) {
      if (has(container) || faults.canPull(container)) {
        Optional<Crash> crash = faults.crashOf(pod, container);
        ContainerRun run =
            PodShape.runsOnce(pod) && crash.isPresent()
                ? of(container)
                    .orElseGet(() -> ContainerRun.started(now, container.getImage()))
                    .ended(crash.get(), now)
                : step(container, faults, crash, now, backoff);
        next.put(container.getName(), run);
      }
    }
    return new ContainerRuns(Map.copyOf(next));
  }

  private ContainerRun step(
      Container container,
      ActiveFaults faults,
      Optional<Crash> crash,
      Instant now,
      Duration backoff) {
    return of(container)
        .orElseGet(() -> ContainerRun.started(now, container.getImage()))
        .of(container.getImage(), faults.canPull(container), now)
        .next(crash, now, backoff);
  }
}
