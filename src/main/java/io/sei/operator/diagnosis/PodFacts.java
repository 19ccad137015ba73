package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.sei.operator.base.Text;
import io.sei.operator.base.Times;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Reads single facts off a pod; a null pod has none of them. */
public final class PodFacts {

  private static final Duration DELETION_SLACK = Duration.ofSeconds(2);
  private static final Duration SILENCE = Duration.ofMinutes(1);
  static final int MAX_LAST_WORDS = 600;

  /** Reasons of a container's end that only repeat what its exit code says. */
  private static final Set<String> SAYS_NO_MORE = Set.of("Error", "Completed");

  /** Why a container waits in every pod that starts. */
  static final Set<String> STARTING = Set.of("PodInitializing", "ContainerCreating");

  static final String CRASH_LOOP = "CrashLoopBackOff";

  /** Phases that a pod does not leave. */
  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

  private static final String REVISION_LABEL = "controller-revision-hash";

  private PodFacts() {}

  /** Returns whether the condition Ready is True, also while the pod is being deleted. */
  public static boolean isReady(Pod pod) {
    return condition(pod, "Ready", "True").isPresent();
  }

  /** Time since which the condition Ready has been True; the distant past if it has no time. */
  public static Optional<Instant> readySince(Pod pod) {
    return condition(pod, "Ready", "True")
        .map(ready -> Times.parse(ready.getLastTransitionTime()).orElse(Instant.EPOCH));
  }

  /** Returns whether the pod is being deleted. */
  public static boolean isTerminating(Pod pod) {
    return pod != null && pod.isMarkedForDeletion();
  }

  /**
   * Returns whether a container of the pod waits for more than other containers, as in
   * ImagePullBackOff or CrashLoopBackOff, and the pod was never Ready.
   */
  public static boolean hasStuckContainer(Pod pod) {
    return !wasReady(pod)
        && statuses(pod).stream()
            .flatMap(status -> waitsFor(status).stream())
            .anyMatch(reason -> !STARTING.contains(reason));
  }

  /**
   * Address of the pod while it can be reached: a pod that has ended, or is terminating, may have
   * lost its address to another one.
   */
  public static Optional<String> address(Pod pod) {
    return isTerminating(pod) || hasEnded(pod)
        ? Optional.empty()
        : status(pod).map(PodStatus::getPodIP).filter(address -> !address.isEmpty());
  }

  /** Returns whether the pod is in a phase that it does not leave. */
  public static boolean hasEnded(Pod pod) {
    return status(pod).map(PodStatus::getPhase).filter(ENDED::contains).isPresent();
  }

  /** Returns whether all containers of the pod have ended without an error; none runs again. */
  public static boolean hasSucceeded(Pod pod) {
    return status(pod).map(PodStatus::getPhase).filter("Succeeded"::equals).isPresent();
  }

  /** Returns whether containers of the pod run, or have run and will again. */
  public static boolean isRunning(Pod pod) {
    return status(pod).map(PodStatus::getPhase).filter("Running"::equals).isPresent();
  }

  /**
   * Returns whether the next container of the pod in the order of starts waits for the kubelet:
   * neither it nor a run of it before has started, and no init container runs before it.
   */
  static boolean awaitsKubelet(Pod pod) {
    if (pod == null || hasEnded(pod)) {
      return false;
    }
    List<Container> inits = spec(pod).map(PodSpec::getInitContainers).orElse(List.of());
    for (Container init : inits) {
      Optional<ContainerStatus> status = status(pod, init.getName());
      if (status.isEmpty() || isUnstarted(status.get())) {
        return true;
      }
      if (!isDone(pod, status.get()) && !Boolean.TRUE.equals(status.get().getStarted())) {
        return false;
      }
    }
    return status(pod, Names.SEID).map(PodFacts::isUnstarted).orElse(true);
  }

  private static boolean isUnstarted(ContainerStatus status) {
    return waitsFor(status).map(STARTING::contains).orElse(status.getState() == null)
        && lastEnd(status).isEmpty();
  }

  /** Returns whether the pod was Ready at any time, if it is not now. */
  public static boolean wasReady(Pod pod) {
    // A kubelet says that a pod is not Ready when it accepts it, and again when it no longer is.
    Optional<Instant> accepted = status(pod).flatMap(status -> Times.parse(status.getStartTime()));
    return isReady(pod)
        || condition(pod, "Ready")
            .flatMap(ready -> Times.parse(ready.getLastTransitionTime()))
            .filter(since -> accepted.filter(since::isAfter).isPresent())
            .isPresent();
  }

  /**
   * Returns whether the pod is not Ready although its kubelet said that all containers are. The
   * control plane does that to pods on a Kubernetes node that fell silent; with readiness gates
   * others do it too.
   */
  public static boolean isReadinessOverruled(Pod pod) {
    return !isReady(pod) && condition(pod, "ContainersReady", "True").isPresent();
  }

  /**
   * Returns whether the Kubernetes node of the pod may be lost, so that it is worth reading: the
   * pod should be gone, another writer than its kubelet reports it unready, or it has been unready
   * for longer than the control plane takes to notice a silent kubelet (50 s unless configured
   * otherwise).
   */
  public static boolean isKubernetesNodeInDoubt(Pod pod, Instant now) {
    return isOverdue(pod, now)
        || isReadinessOverruled(pod)
        || unreadySince(pod).filter(since -> since.plus(SILENCE).isBefore(now)).isPresent();
  }

  /** Time since which the condition Ready has been False; empty if it is not, or has no time. */
  public static Optional<Instant> unreadySince(Pod pod) {
    return condition(pod, "Ready", "False")
        .flatMap(ready -> Times.parse(ready.getLastTransitionTime()));
  }

  /**
   * Returns whether the pod is being deleted and should be gone. The API server puts the grace
   * period into {@code deletionTimestamp} already. A kubelet that is done deletes the pod once more
   * without grace, which moves that moment to now; hence the slack.
   */
  public static boolean isOverdue(Pod pod, Instant now) {
    return isTerminating(pod)
        && Times.parse(pod.getMetadata().getDeletionTimestamp())
            .filter(due -> now.isAfter(due.plus(DELETION_SLACK)))
            .isPresent();
  }

  /** The StatefulSet revision the pod was made from. */
  public static Optional<String> revision(Pod pod) {
    return metadata(pod).map(ObjectMeta::getLabels).map(labels -> labels.get(REVISION_LABEL));
  }

  /** UID of the controller that owns the pod. */
  public static Optional<String> ownerUid(Pod pod) {
    return controller(pod).map(OwnerReference::getUid);
  }

  /** Returns whether the controller that owns the pod is of this kind and name. */
  public static boolean isControlledBy(Pod pod, String kind, String name) {
    return controller(pod)
        .filter(owner -> kind.equals(owner.getKind()) && name.equals(owner.getName()))
        .isPresent();
  }

  /** Returns whether the pod was made to be worked in while seid does not run. */
  public static boolean isIdle(Pod pod) {
    return spec(pod).map(PodSpec::getReadinessGates).stream()
        .flatMap(List::stream)
        .anyMatch(gate -> Names.RELEASED_GATE.equals(gate.getConditionType()));
  }

  /** Number of the pod's containers, with init, ephemeral and injected ones. */
  static int containers(Pod pod) {
    return spec(pod).stream()
        .flatMap(
            spec ->
                Stream.of(
                    spec.getInitContainers(), spec.getContainers(), spec.getEphemeralContainers()))
        .mapToInt(List::size)
        .sum();
  }

  /** Image the pod asks for in a container or init container. */
  public static Optional<String> image(Pod pod, String container) {
    return spec(pod).stream()
        .flatMap(spec -> Stream.of(spec.getContainers(), spec.getInitContainers()))
        .flatMap(List::stream)
        .filter(candidate -> container.equals(candidate.getName()) && candidate.getImage() != null)
        .map(Container::getImage)
        .findFirst();
  }

  /**
   * Image id to which the kubelet resolved the image of a container or init container; empty until
   * the image is there.
   */
  public static Optional<String> imageId(Pod pod, String container) {
    return status(pod, container)
        .map(ContainerStatus::getImageID)
        .filter(imageId -> !imageId.isEmpty());
  }

  /** The upgrade panic that ended seid in a pod in which it is not ready again. */
  public static Optional<UpgradePanic> upgradePanic(Pod pod) {
    return status(pod, Names.SEID).flatMap(PodFacts::upgradePanic);
  }

  /** The upgrade panic that ended a container which is not ready again. */
  static Optional<UpgradePanic> upgradePanic(ContainerStatus status) {
    // One that was started again still counts until it is ready: it needs minutes to reach the
    // height once more, and the same image cannot pass it.
    return Boolean.TRUE.equals(status.getReady()) || endedWell(status)
        ? Optional.empty()
        : lastEnd(status).flatMap(end -> UpgradePanic.in(end.getMessage()));
  }

  /** Newest end of a container, which may have been started again since. */
  static Optional<ContainerStateTerminated> lastEnd(ContainerStatus status) {
    return end(status)
        .or(() -> Optional.ofNullable(status.getLastState()).map(ContainerState::getTerminated));
  }

  static int restarts(ContainerStatus status) {
    return status.getRestartCount() == null ? 0 : status.getRestartCount();
  }

  /** End of a container that is down and will not be started again. */
  public static Optional<ContainerStateTerminated> end(Pod pod, String container) {
    return status(pod, container).flatMap(PodFacts::end);
  }

  /** End of a container that is down. */
  static Optional<ContainerStateTerminated> end(ContainerStatus status) {
    return Optional.ofNullable(status.getState()).map(ContainerState::getTerminated);
  }

  /** The reason for which a container waits. */
  static Optional<String> waitsFor(ContainerStatus status) {
    return Optional.ofNullable(status.getState())
        .map(ContainerState::getWaiting)
        .map(ContainerStateWaiting::getReason);
  }

  /**
   * Why a pod that restarts none of its containers will not do its work any more, in one line: a
   * container that has to run has ended, or the whole pod was given up.
   */
  public static Optional<String> failure(Pod pod) {
    return statuses(pod).stream()
        .filter(status -> !isInitContainer(pod, status.getName()) || isUnfit(pod, status))
        .flatMap(status -> end(status).map(end -> describe(status, end)).stream())
        .findFirst()
        .or(
            () ->
                status(pod)
                    .filter(status -> "Failed".equals(status.getPhase()))
                    .map(status -> status.getReason() + ": " + status.getMessage())
                    .map(words -> Text.line(words, MAX_LAST_WORDS)));
  }

  private static boolean isUnfit(Pod pod, ContainerStatus init) {
    return !isRestarted(pod, init) && !endedWell(init);
  }

  private static String describe(ContainerStatus status, ContainerStateTerminated end) {
    String words =
        LastWords.in(end.getMessage())
            .map(LastWords::line)
            .orElseGet(() -> Text.line(end.getMessage(), MAX_LAST_WORDS));
    boolean more = end.getReason() != null && !SAYS_NO_MORE.contains(end.getReason());
    return "%s exited with code %d%s%s"
        .formatted(
            status.getName(),
            end.getExitCode(),
            more ? " (" + end.getReason() + ")" : "",
            words.isEmpty() ? "" : ": " + words);
  }

  /** A native sidecar is started again, whatever the pod's restart policy is. */
  private static boolean isRestarted(Pod pod, ContainerStatus status) {
    return spec(pod).stream()
        .flatMap(spec -> spec.getInitContainers().stream())
        .filter(container -> container.getName().equals(status.getName()))
        .anyMatch(container -> "Always".equals(container.getRestartPolicy()));
  }

  /** Returns whether a container is one that others wait for: a sidecar, or one that ends. */
  static boolean isInitContainer(Pod pod, String name) {
    return status(pod).stream()
        .flatMap(status -> status.getInitContainerStatuses().stream())
        .anyMatch(status -> name.equals(status.getName()));
  }

  /** Returns whether a container is an init container that did its work and will not run again. */
  static boolean isDone(Pod pod, ContainerStatus status) {
    return isInitContainer(pod, status.getName())
        && !isRestarted(pod, status)
        && end(status).isPresent()
        && endedWell(status);
  }

  /** Statuses in the order in which containers gate each other: init containers first. */
  static List<ContainerStatus> statuses(Pod pod) {
    return status(pod).stream()
        .flatMap(
            status -> Stream.of(status.getInitContainerStatuses(), status.getContainerStatuses()))
        .flatMap(List::stream)
        .toList();
  }

  /** The status of a container or init container. */
  public static Optional<ContainerStatus> status(Pod pod, String container) {
    return statuses(pod).stream().filter(status -> container.equals(status.getName())).findFirst();
  }

  /** Time since which a container has been running; empty if it is not. */
  static Optional<Instant> runningSince(ContainerStatus status) {
    return Optional.ofNullable(status.getState())
        .map(ContainerState::getRunning)
        .flatMap(running -> Times.parse(running.getStartedAt()));
  }

  /** Time at which the kubelet last started a container that is running, by its clock. */
  public static Optional<Instant> lastStart(Pod pod) {
    return statuses(pod).stream()
        .flatMap(status -> runningSince(status).stream())
        .max(Comparator.naturalOrder());
  }

  /** Returns whether any container runs now. */
  static boolean hasRunningContainer(Pod pod) {
    return statuses(pod).stream().anyMatch(PodFacts::isRunning);
  }

  static boolean isRunning(ContainerStatus status) {
    return status.getState() != null && status.getState().getRunning() != null;
  }

  /** Returns whether a container runs now. */
  public static boolean runs(Pod pod, String container) {
    return status(pod, container).filter(PodFacts::isRunning).isPresent();
  }

  /** The run of a container that the kubelet reported last, over or not. */
  public static Optional<String> containerId(Pod pod, String container) {
    return status(pod, container).map(ContainerStatus::getContainerID);
  }

  /** Returns whether no container was ever started, by anything that the kubelet reports. */
  public static boolean hasNeverRun(Pod pod) {
    return !isRunning(pod)
        && !hasEnded(pod)
        && statuses(pod).stream()
            .noneMatch(
                status ->
                    isRunning(status)
                        || lastEnd(status).isPresent()
                        || restarts(status) > 0
                        || waitsFor(status).filter(CRASH_LOOP::equals).isPresent());
  }

  /** Returns whether any container was ever started, for which the volumes had to be there. */
  public static boolean hasStarted(Pod pod) {
    return statuses(pod).stream()
        .anyMatch(container -> isRunning(container) || lastEnd(container).isPresent());
  }

  /**
   * Returns whether the kubelet has the pod and no sandbox for it yet, which it makes once volumes
   * are mounted.
   */
  public static boolean awaitsVolumes(Pod pod) {
    return nodeName(pod).isPresent()
        && !isTerminating(pod)
        && !hasStarted(pod)
        && condition(pod, "PodReadyToStartContainers", "True").isEmpty();
  }

  static Optional<PodCondition> condition(Pod pod, String type) {
    return status(pod).stream()
        .flatMap(status -> status.getConditions().stream())
        .filter(condition -> type.equals(condition.getType()))
        .findFirst();
  }

  /** The condition of a type, if it has this status. */
  public static Optional<PodCondition> condition(Pod pod, String type, String status) {
    return condition(pod, type).filter(condition -> status.equals(condition.getStatus()));
  }

  /** Returns whether a pod was ended for what is done to its machine, as by an eviction. */
  public static boolean isDisrupted(Pod pod) {
    return condition(pod, "DisruptionTarget", "True").isPresent();
  }

  /** The condition of a Job, if it is True. */
  public static Optional<JobCondition> condition(Job job, String type) {
    return Optional.ofNullable(job.getStatus()).stream()
        .flatMap(status -> status.getConditions().stream())
        .filter(condition -> type.equals(condition.getType()))
        .filter(condition -> "True".equals(condition.getStatus()))
        .findFirst();
  }

  /** Returns whether a Job without retries failed since its pod was deleted or evicted. */
  public static boolean isInterrupted(JobCondition failed, Optional<Pod> pod) {
    return "BackoffLimitExceeded".equals(failed.getReason())
        && pod.filter(ended -> !isDisrupted(ended)).isEmpty();
  }

  /** The Kubernetes node that the pod is bound to. */
  public static Optional<String> nodeName(Pod pod) {
    return spec(pod).map(PodSpec::getNodeName);
  }

  static String name(Pod pod) {
    return metadata(pod).map(ObjectMeta::getName).orElse(null);
  }

  static boolean endedWell(ContainerStatus status) {
    return lastEnd(status).filter(end -> Integer.valueOf(0).equals(end.getExitCode())).isPresent();
  }

  private static Optional<OwnerReference> controller(Pod pod) {
    return metadata(pod).stream()
        .flatMap(metadata -> metadata.getOwnerReferences().stream())
        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
        .findFirst();
  }

  private static Optional<ObjectMeta> metadata(Pod pod) {
    return Optional.ofNullable(pod).map(Pod::getMetadata);
  }

  private static Optional<PodSpec> spec(Pod pod) {
    return Optional.ofNullable(pod).map(Pod::getSpec);
  }

  private static Optional<PodStatus> status(Pod pod) {
    return Optional.ofNullable(pod).map(Pod::getStatus);
  }
}
