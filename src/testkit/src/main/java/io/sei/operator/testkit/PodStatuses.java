package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodIPBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** PURE: a pod, its runs and its faults -> its status, as scheduler and kubelet report it. */
final class PodStatuses {
  private static final String HOST = "127.0.0.1";

  /** Address that is unused, and that an EndpointSlice may contain, unlike that of the host. */
  private static final String ADDRESS = "192.0.2.1";

  private static final String SCHEDULED = "PodScheduled";
  private static final String INITIALIZED = "Initialized";
  private static final String CONTAINERS_READY = "ContainersReady";
  private static final String READY = "Ready";
  private static final String SANDBOX = "PodReadyToStartContainers";
  private static final String RESIZE_PENDING = "PodResizePending";
  private static final Set<String> OWN_CONDITIONS =
      Set.of(SANDBOX, SCHEDULED, INITIALIZED, CONTAINERS_READY, READY, RESIZE_PENDING);

  private static final Unready GATED =
      new Unready(
          "ReadinessGatesNotReady",
          "corresponding condition of pod readiness gate \"sei.io/released\" does not exist.");

  private final Pod pod;
  private final PodStatus previous;
  private final Instant now;
  private final ContainerStatuses containers;

  /**
   * @param previous the status last written or read, whose transition times are kept
   */
  PodStatuses(Pod pod, PodStatus previous, Instant now) {
    this.pod = pod;
    this.previous = previous;
    this.now = now;
    this.containers = new ContainerStatuses(pod);
  }

  /** The pod is on no node, for this reason. */
  PodStatus unscheduled(String message) {
    PodStatusBuilder status = new PodStatusBuilder().withPhase("Pending");
    return status
        .withConditions(withForeign(List.of(condition(SCHEDULED, false, "Unschedulable", message))))
        .build();
  }

  /**
   * The pod is on the node, with these containers started.
   *
   * @param pullReason {@code ErrImagePull} or {@code ImagePullBackOff}, for the containers whose
   *     image cannot be pulled; null as long as nothing was pulled
   * @param seidReady whether the readiness probe of {@code seid} succeeds
   */
  PodStatus bound(ContainerRuns runs, ActiveFaults faults, String pullReason, boolean seidReady) {
    Function<Container, ContainerStatus> notStarted = waitingReason(runs, faults, pullReason);
    boolean lacksBlock = faults.has(PodFault.NoBlock.class) && PodShape.needsBlock(pod);
    boolean isSlow = faults.has(PodFault.SlowSeid.class);
    List<ContainerStatus> init =
        map(PodShape.initContainers(pod), c -> initStatus(c, runs, notStarted));
    List<ContainerStatus> main =
        map(
            PodShape.containers(pod),
            c ->
                runs.of(c)
                    .map(run -> live(c, run, !isProbed(c) || seidReady && !lacksBlock, pullReason))
                    .map(status -> isProbed(c) && isSlow ? silent(status) : status)
                    .orElseGet(() -> notStarted.apply(c)));
    boolean allStarted = PodShape.containers(pod).stream().allMatch(runs::has);
    String phase = endPhase(runs).orElse(allStarted ? "Running" : "Pending");
    boolean sandbox = pullReason != null;
    Optional<PodFault.ResizePending> noRoom = faults.find(PodFault.ResizePending.class);
    return resized(assemble(phase, sandbox, unready(init, main), init, main), noRoom);
  }

  private PodStatus resized(PodStatus status, Optional<PodFault.ResizePending> noRoom) {
    var resources = new ReportedResources(pod, previous, noRoom.isEmpty());
    List<ContainerStatus> init = resources.in(status.getInitContainerStatuses());
    List<ContainerStatus> main = resources.in(status.getContainerStatuses());
    List<PodCondition> conditions = new ArrayList<>(status.getConditions());
    noRoom
        .filter(any -> resources.differ(init) || resources.differ(main))
        .map(pending -> condition(RESIZE_PENDING, true, pending.reason(), pending.message()))
        .ifPresent(conditions::add);
    return new PodStatusBuilder(status)
        .withConditions(conditions)
        .withInitContainerStatuses(init)
        .withContainerStatuses(main)
        .build();
  }

  /** Its startup probe has yet to succeed. */
  private static ContainerStatus silent(ContainerStatus status) {
    return new ContainerStatusBuilder(status).withStarted(false).build();
  }

  private boolean isProbed(Container container) {
    return container.getName().equals(PodShape.SEID) && !PodShape.isHeld(pod);
  }

  /** The phase of a pod all of whose containers have ended for good. */
  private Optional<String> endPhase(ContainerRuns runs) {
    List<ContainerRun> ended =
        PodShape.containers(pod).stream()
            .flatMap(container -> runs.of(container).stream())
            .filter(ContainerRun::hasEnded)
            .toList();
    if (ended.size() < PodShape.containers(pod).size()) {
      return Optional.empty();
    }
    boolean well = ended.stream().allMatch(run -> run.end().exitCode() == 0);
    return Optional.of(well ? "Succeeded" : "Failed");
  }

  /** The pod's containers were stopped; the pod is about to go. */
  PodStatus stopped(ContainerRuns runs) {
    Function<Container, ContainerStatus> notStarted = waitingReason(runs, null, null);
    Function<Container, ContainerStatus> stopped =
        c ->
            runs.of(c)
                .map(run -> containers.stopped(c, run, now))
                .orElseGet(() -> notStarted.apply(c));
    List<ContainerStatus> init =
        map(
            PodShape.initContainers(pod),
            c -> PodShape.isNativeSidecar(c) ? stopped.apply(c) : initStatus(c, runs, notStarted));
    List<ContainerStatus> main = map(PodShape.containers(pod), stopped);
    boolean started = PodShape.containers(pod).stream().anyMatch(runs::has);
    if (!started) {
      return assemble("Pending", false, unready(init, main), init, main);
    }
    boolean well =
        main.stream()
            .map(status -> status.getState().getTerminated())
            .allMatch(end -> end != null && end.getExitCode() == 0);
    return well
        ? assemble("Succeeded", false, new Unready("PodCompleted", null), init, main)
        : assemble("Failed", false, new Unready("PodFailed", null), init, main);
  }

  /** Why the pod is not Ready; without a reason it is. */
  private record Unready(String reason, String message) {
    static final Unready NO = new Unready(null, null);
  }

  private Unready unready(List<ContainerStatus> init, List<ContainerStatus> main) {
    List<String> unready =
        new ArrayList<>(
            names(init, s -> PodShape.isNativeSidecar(initNamed(s.getName())) && !s.getReady()));
    unready.addAll(names(main, s -> !s.getReady()));
    return unready.isEmpty() && names(init, s -> !isInitDone(s)).isEmpty()
        ? Unready.NO
        : new Unready("ContainersNotReady", "containers with unready status: " + unready);
  }

  /** The pod's node is lost: what was reported last, but unready. */
  PodStatus lost() {
    List<PodCondition> conditions =
        previous.getConditions().stream()
            .map(c -> c.getType().equals(READY) ? condition(READY, false, null, null) : c)
            .toList();
    return new PodStatusBuilder(previous).withConditions(conditions).build();
  }

  private ContainerStatus initStatus(
      Container c, ContainerRuns runs, Function<Container, ContainerStatus> notStarted) {
    return runs.of(c)
        .map(
            run ->
                PodShape.isNativeSidecar(c)
                    ? live(c, run, true, "ImagePullBackOff")
                    : containers.completed(c, run))
        .orElseGet(() -> notStarted.apply(c));
  }

  private ContainerStatus live(
      Container container, ContainerRun run, boolean ready, String pullReason) {
    if (run.hasEnded()) {
      return containers.ended(container, run);
    }
    if (run.wanted() != null) {
      return containers.awaiting(container, run, pullReason, pullMessage(run.wanted(), pullReason));
    }
    if (!run.isCrashed()) {
      return containers.running(container, run, ready);
    }
    return now.isBefore(run.backsOffAt())
        ? containers.crashed(container, run)
        : containers.backingOff(container, run);
  }

  private Function<Container, ContainerStatus> waitingReason(
      ContainerRuns runs, ActiveFaults faults, String pullReason) {
    List<Container> pendingInit =
        PodShape.initContainers(pod).stream().filter(c -> !runs.has(c)).toList();
    return c -> {
      boolean itsTurn = pendingInit.isEmpty() || pendingInit.get(0) == c;
      if (itsTurn && pullReason != null && !faults.canPull(c)) {
        return containers.waiting(c, pullReason, pullMessage(c.getImage(), pullReason));
      }
      boolean afterInit = !PodShape.initContainers(pod).isEmpty();
      return containers.waiting(c, afterInit ? "PodInitializing" : "ContainerCreating", null);
    };
  }

  private static String pullMessage(String image, String reason) {
    String error =
        "rpc error: code = NotFound desc = failed to pull and unpack image \"%s\": not found"
            .formatted(image);
    return "ErrImagePull".equals(reason)
        ? error
        : "Back-off pulling image \"%s\": ErrImagePull: %s".formatted(image, error);
  }

  private PodStatus assemble(
      String phase,
      boolean sandbox,
      Unready unready,
      List<ContainerStatus> init,
      List<ContainerStatus> main) {
    List<String> incomplete = names(init, s -> !isInitDone(s));
    boolean ready = unready.equals(Unready.NO);
    Unready gated = ready && PodShape.isHeld(pod) ? GATED : unready;
    List<PodCondition> conditions =
        List.of(
            condition(SANDBOX, sandbox, "PodSandboxNotReady", null),
            condition(
                INITIALIZED,
                incomplete.isEmpty(),
                "ContainersNotInitialized",
                "containers with incomplete status: " + incomplete),
            condition(READY, gated.equals(Unready.NO), gated.reason(), gated.message()),
            condition(CONTAINERS_READY, ready, unready.reason(), unready.message()),
            condition(SCHEDULED, true, null, null));
    return new PodStatusBuilder()
        .withObservedGeneration(pod.getMetadata().getGeneration())
        .withPhase(phase)
        .withHostIP(HOST)
        .withPodIP(ADDRESS)
        .withPodIPs(new PodIPBuilder().withIp(ADDRESS).build())
        .withStartTime(startTime())
        .withConditions(withForeign(conditions))
        .withInitContainerStatuses(init)
        .withContainerStatuses(main)
        .build();
  }

  private boolean isInitDone(ContainerStatus status) {
    boolean started = Boolean.TRUE.equals(status.getStarted());
    // A native sidecar that crashes later does not make the pod uninitialized again.
    return PodShape.isNativeSidecar(initNamed(status.getName()))
        ? started || isTrue(INITIALIZED)
        : status.getState().getTerminated() != null;
  }

  private boolean isTrue(String type) {
    return previous != null
        && previous.getConditions().stream()
            .anyMatch(c -> c.getType().equals(type) && c.getStatus().equals("True"));
  }

  private Container initNamed(String name) {
    return PodShape.named(pod, name).orElseThrow();
  }

  private String startTime() {
    return previous != null && previous.getStartTime() != null
        ? previous.getStartTime()
        : ContainerStatuses.time(now);
  }

  private PodCondition condition(String type, boolean isTrue, String reason, String message) {
    String status = isTrue ? "True" : "False";
    boolean isExplained = !isTrue || type.equals(RESIZE_PENDING);
    String since =
        previous == null
            ? null
            : previous.getConditions().stream()
                .filter(c -> c.getType().equals(type) && c.getStatus().equals(status))
                .map(PodCondition::getLastTransitionTime)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    return new PodConditionBuilder()
        .withType(type)
        .withStatus(status)
        .withObservedGeneration(pod.getMetadata().getGeneration())
        .withReason(isExplained ? reason : null)
        .withMessage(isExplained ? message : null)
        .withLastTransitionTime(since == null ? ContainerStatuses.time(now) : since)
        .build();
  }

  /** A merge patch replaces the list, so conditions of others are carried along. */
  private List<PodCondition> withForeign(List<PodCondition> own) {
    List<PodCondition> all = new ArrayList<>(own);
    if (pod.getStatus() != null) {
      pod.getStatus().getConditions().stream()
          .filter(c -> !OWN_CONDITIONS.contains(c.getType()))
          .forEach(all::add);
    }
    return all;
  }

  private static List<String> names(
      List<ContainerStatus> statuses, Predicate<ContainerStatus> filter) {
    return statuses.stream()
        .filter(filter)
        .map(ContainerStatus::getName)
        .collect(Collectors.toList());
  }

  private static List<ContainerStatus> map(
      List<Container> list, Function<Container, ContainerStatus> mapper) {
    return list.stream().map(mapper).toList();
  }
}
