package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Moves a pod one step on: scheduled, started, ready, terminated. Level-triggered: each step is
 * computed from the pod as it is, the faults in force and the time, and asks to be called again
 * when time alone will bring the next one.
 */
final class PodLifecycle {
  private static final Duration FIRST_PULL_ERROR = Duration.ofMillis(300);
  private static final Crash HALTED = new Crash(0, "halting at the height asked for");
  private static final String BACKED_OFF = "ImagePullBackOff";
  private static final Duration DELETE_CHECK = Duration.ofSeconds(1);
  private static final Set<String> TERMINAL_PHASES = Set.of("Succeeded", "Failed");

  /** One pod instance; only the thread that moves the pod touches it. */
  private static final class Instance {
    final String uid;
    final Optional<String> seiNode;
    final SimulatedSeid seid;
    boolean bound;
    Instant acceptedAt;
    Instant terminatingAt;
    boolean sidecarUp;
    int sidecarRestarts;
    String sidecarImage;
    ContainerRun startedSeid;
    ContainerRuns runs;
    Instant now;
    PodStatus written;

    Instance(Pod pod, Runnable wake) {
      uid = pod.getMetadata().getUid();
      seiNode = PodShape.seiNode(pod);
      seid = new SimulatedSeid(wake);
      runs = ContainerRuns.reported(pod);
    }

    Instant goOn(Instant clock) {
      now = now == null ? clock : runs.due(now, clock);
      return now;
    }
  }

  private final PodApi api;
  private final SidecarSimulator sidecar;
  private final FaultRegistry faults;
  private final KubeletTiming timing;
  private final String nodeName;
  private final Clock clock;
  private final PodVolumes volumes;
  private final Consumer<ObjectKey> wake;
  private final Map<ObjectKey, Instance> instances = new ConcurrentHashMap<>();
  private volatile boolean nodeLost;

  /** The pods as the kubelet saw them last; null unless it is frozen. */
  private volatile Map<ObjectKey, Pod> frozen;

  private volatile boolean reportsFrozen;

  /**
   * @param wake has a pod moved on
   */
  PodLifecycle(
      PodApi api,
      SidecarSimulator sidecar,
      FaultRegistry faults,
      KubeletTiming timing,
      String nodeName,
      Clock clock,
      PodVolumes volumes,
      Consumer<ObjectKey> wake) {
    this.api = api;
    this.sidecar = sidecar;
    this.faults = faults;
    this.timing = timing;
    this.nodeName = nodeName;
    this.clock = clock;
    this.volumes = volumes;
    this.wake = wake;
  }

  void nodeLost(boolean lost) {
    nodeLost = lost;
  }

  void freeze(Map<ObjectKey, Pod> seen) {
    reportsFrozen = false;
    frozen = seen;
  }

  void reportFrozen() {
    reportsFrozen = true;
  }

  void thaw() {
    frozen = null;
  }

  /**
   * Moves the pod of this name on.
   *
   * @param current the pod, empty when it is gone
   * @return when to call again at the latest, empty when only an event can change anything
   */
  Optional<Duration> step(ObjectKey key, Optional<Pod> current) {
    Instance known = instances.get(key);
    if (known != null
        && !current.map(p -> p.getMetadata().getUid()).equals(Optional.of(known.uid))) {
      stopSidecar(key, known);
      instances.remove(key);
    }
    if (current.isEmpty() || hasEnded(current.get())) {
      return Optional.empty();
    }
    Pod pod = current.get();
    Instance instance =
        instances.computeIfAbsent(key, k -> new Instance(pod, () -> wake.accept(k)));
    ActiveFaults active = faults.of(pod);
    String assigned = pod.getSpec().getNodeName();
    if (assigned == null || assigned.isEmpty()) {
      return schedule(pod, instance, active);
    }
    if (!assigned.equals(nodeName)) {
      return Optional.empty();
    }
    if (nodeLost) {
      write(pod, instance, statuses(pod, instance, clock.instant()).lost());
      return Optional.empty();
    }
    Map<ObjectKey, Pod> seen = frozen;
    if (seen != null) {
      return seen.containsKey(key) ? runUnheard(pod, seen.get(key), instance) : Optional.empty();
    }
    return pod.getMetadata().getDeletionTimestamp() == null
        ? run(key, pod, instance, withRefusal(key, instance, active))
        : terminate(key, pod, instance, active);
  }

  private Optional<Duration> runUnheard(Pod pod, Pod seen, Instance instance) {
    Instant now = instance.goOn(clock.instant());
    ActiveFaults active = faults.of(seen);
    instance.runs = instance.runs.advance(seen, active, now, timing.crashBackoff());
    if (reportsFrozen) {
      boolean ready = instance.runs.isUp(PodShape.mainContainer(pod).getName());
      write(
          pod,
          instance,
          statuses(pod, instance, now).bound(instance.runs, active, BACKED_OFF, ready));
    }
    return instance.runs.nextChange(now).map(at -> Duration.between(clock.instant(), at));
  }

  /** A pod in deletion ends before it goes. */
  private static boolean hasEnded(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() == null
        && TERMINAL_PHASES.contains(pod.getStatus().getPhase());
  }

  private Optional<Duration> schedule(Pod pod, Instance instance, ActiveFaults active) {
    if (instance.bound || pod.getMetadata().getDeletionTimestamp() != null) {
      return Optional.empty();
    }
    Optional<String> obstacle = obstacle(pod, active);
    if (obstacle.isPresent()) {
      write(pod, instance, statuses(pod, instance, clock.instant()).unscheduled(obstacle.get()));
    } else {
      api.bind(pod, nodeName);
      instance.bound = true;
    }
    return Optional.empty();
  }

  private Optional<String> obstacle(Pod pod, ActiveFaults active) {
    if (active.has(PodFault.Unschedulable.class)) {
      return Optional.of("0/1 nodes are available: 1 Insufficient memory.");
    }
    if (nodeLost) {
      return Optional.of(
          "0/1 nodes are available: 1 node(s) had taint {node.kubernetes.io/unreachable: },"
              + " that the pod didn't tolerate.");
    }
    return volumes.obstacle(pod);
  }

  private Optional<Duration> run(ObjectKey key, Pod pod, Instance instance, ActiveFaults active) {
    Instant now = instance.goOn(clock.instant());
    if (instance.acceptedAt == null) {
      instance.acceptedAt = now;
    }
    Duration extra =
        active.find(PodFault.SlowStart.class).map(PodFault.SlowStart::extra).orElse(Duration.ZERO);
    Instant startAt = instance.acceptedAt.plus(timing.start()).plus(extra);
    boolean starting = instance.runs.byName().isEmpty();
    if (starting && now.isBefore(startAt)) {
      write(
          pod,
          instance,
          statuses(pod, instance, now).bound(ContainerRuns.NONE, active, null, false));
      return Optional.of(Duration.between(clock.instant(), startAt));
    }
    instance.runs = instance.runs.advance(pod, active, now, timing.crashBackoff());
    String seid = PodShape.mainContainer(pod).getName();
    if (instance.seid.takeTermination()) {
      instance.runs = instance.runs.terminated(seid, now, timing.crashBackoff());
    }
    for (Container container : PodShape.containers(pod)) {
      if (PodShape.inspects(container)) {
        inspected(container, active)
            .ifPresent(end -> instance.runs = instance.runs.ended(container.getName(), end, now));
      }
    }
    followSidecar(key, pod, instance, now);
    boolean backedOff = now.isAfter(startAt.plus(FIRST_PULL_ERROR));
    String pullReason = backedOff ? BACKED_OFF : "ErrImagePull";
    boolean listens = hasSeidStarted(key, pod, instance) && !active.has(PodFault.SlowSeid.class);
    boolean ready = listens && !active.has(PodFault.NeverReady.class);
    if (ready && PodShape.runsOnce(pod) && !PodShape.inspects(PodShape.mainContainer(pod))) {
      instance.runs = instance.runs.ended(seid, HALTED, now);
    }
    instance.seid.is(seidRun(seid, instance), listens && instance.runs.isUp(seid));
    write(
        pod,
        instance,
        statuses(pod, instance, now).bound(instance.runs, active, pullReason, ready));
    if (!active.unpullableImages().isEmpty() && !backedOff) {
      return Optional.of(FIRST_PULL_ERROR);
    }
    return instance.runs.nextChange(now).map(at -> Duration.between(clock.instant(), at));
  }

  /**
   * Returns the end of an inspection; empty if it hangs. The version of most images is their tag,
   * and most files have every key.
   */
  private static Optional<Crash> inspected(Container container, ActiveFaults active) {
    PodFault.Answers answer =
        active
            .find(PodFault.Answers.class)
            .orElseGet(() -> new PodFault.Answers(usualAnswer(container), 0));
    return answer.words() == null
        ? Optional.empty()
        : Optional.of(new Crash(answer.exitCode(), answer.words()));
  }

  private static String usualAnswer(Container container) {
    if (PodShape.looksIntoFile(container)) {
      // Behind the shell, its option, the script and the path.
      return "keys " + "1".repeat(container.getCommand().size() - 4);
    }
    String image = container.getImage().replaceFirst("@.*", "");
    return "name: sei\nserver_name: seid\nversion: %s\ncommit: 1f0c8d8"
        .formatted(image.substring(image.lastIndexOf(':') + 1));
  }

  private Optional<Duration> terminate(
      ObjectKey key, Pod pod, Instance instance, ActiveFaults active) {
    Instant now = clock.instant();
    if (instance.terminatingAt == null) {
      instance.terminatingAt = now;
      stopSidecar(key, instance);
    }
    if (active.has(PodFault.HangingTermination.class)) {
      return Optional.empty();
    }
    write(pod, instance, statuses(pod, instance, now).stopped(instance.runs));
    Duration left = Duration.between(now, instance.terminatingAt.plus(timing.termination()));
    if (!left.isNegative() && !left.isZero()) {
      return Optional.of(left);
    }
    api.delete(pod);
    return Optional.of(DELETE_CHECK);
  }

  private static PodStatuses statuses(Pod pod, Instance instance, Instant now) {
    PodStatus previous = instance.written == null ? pod.getStatus() : instance.written;
    return new PodStatuses(pod, previous, now);
  }

  private void write(Pod pod, Instance instance, PodStatus status) {
    if (!status.equals(instance.written)) {
      api.writeStatus(pod, status);
      instance.written = status;
    }
  }

  /** Returns whether seid was let start; its run continues whatever becomes of its sidecar. */
  private boolean hasSeidStarted(ObjectKey key, Pod pod, Instance instance) {
    if (sidecar == null || instance.seiNode.isEmpty()) {
      return true;
    }
    String node = instance.seiNode.get();
    ContainerRun run = instance.runs.byName().get(PodShape.mainContainer(pod).getName());
    if (sidecar.isReady(key.namespace(), node)) {
      instance.startedSeid = run;
    }
    return run != null
        && run.equals(instance.startedSeid)
        && run.probedAt().filter(clock.instant()::isBefore).isEmpty();
  }

  /** The faults with the panic of a seid that is let start and refuses its configuration. */
  private ActiveFaults withRefusal(ObjectKey key, Instance instance, ActiveFaults active) {
    if (sidecar == null || instance.seiNode.isEmpty()) {
      return active;
    }
    String node = instance.seiNode.get();
    return sidecar.isReady(key.namespace(), node)
        ? sidecar.home(key.namespace(), node).refusal().map(active::withPanic).orElse(active)
        : active;
  }

  private static Optional<String> seidRun(String seid, Instance instance) {
    ContainerRun run = instance.runs.byName().get(seid);
    return instance.runs.isUp(seid) && run.equals(instance.startedSeid)
        ? Optional.of(String.valueOf(run.restarts()))
        : Optional.empty();
  }

  private void followSidecar(ObjectKey key, Pod pod, Instance instance, Instant now) {
    String name =
        PodShape.named(pod, PodShape.SIDECAR).isPresent() ? PodShape.SIDECAR : PodShape.SEID;
    ContainerRun run = instance.runs.byName().get(name);
    String image = run == null ? null : run.image();
    if (!instance.runs.isUp(name) || !Objects.equals(image, instance.sidecarImage)) {
      stopSidecar(key, instance);
    }
    instance.sidecarImage = image;
    if (!instance.runs.isUp(name)) {
      return;
    }
    if (instance.sidecarUp) {
      int restarts = sidecar.restarts(key.namespace(), instance.seiNode.orElseThrow());
      if (restarts > instance.sidecarRestarts) {
        instance.sidecarRestarts = restarts;
        instance.runs = instance.runs.restarted(name, now);
      }
    }
    if (sidecar != null && !instance.sidecarUp && instance.seiNode.isPresent()) {
      instance.sidecarUp = true;
      String node = instance.seiNode.get();
      instance.sidecarRestarts = sidecar.restarts(key.namespace(), node);
      volumes
          .dataClaim(pod)
          .ifPresent(
              claim -> {
                volumes
                    .snapshot(pod)
                    .ifPresent(snapshot -> sidecar.restore(key.namespace(), snapshot, claim));
                if (PodShape.named(pod, PodShape.DATA_RESTORE).isPresent()) {
                  sidecar.ownOnce(claim);
                }
                PodShape.resetGeneration(pod)
                    .ifPresent(resetGeneration -> sidecar.wipeOnce(claim, resetGeneration));
                sidecar.mount(key.namespace(), node, claim);
              });
      if (PodShape.named(pod, PodShape.SEID_INIT).isPresent()) {
        sidecar.initHome(key.namespace(), node);
      }
      if (PodShape.named(pod, PodShape.STATE_SYNC_RENEWAL).isPresent()) {
        sidecar.forgetStateSync(key.namespace(), node);
      }
      sidecar.podStarted(
          key.namespace(), node, instance.uid, PodShape.audiences(pod), instance.seid);
    }
  }

  private void stopSidecar(ObjectKey key, Instance instance) {
    if (instance.sidecarUp) {
      instance.sidecarUp = false;
      sidecar.podStopped(key.namespace(), instance.seiNode.orElseThrow());
    }
  }
}
