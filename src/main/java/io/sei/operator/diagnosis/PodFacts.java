package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.sei.operator.render.Annotations;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Reads single facts off a pod; a null pod has none of them. */
public final class PodFacts {

  private static final Duration DELETION_SLACK = Duration.ofSeconds(2);

  private static final Duration SILENCE = Duration.ofMinutes(1);

  private static final int MAX_LAST_WORDS = 600;

  /** Reasons of a container's end that only repeat what its exit code says. */
  private static final Set<String> SAYS_NO_MORE = Set.of("Error", "Completed");

  /** Why a container waits in every pod that starts. */
  private static final Set<String> ON_ITS_WAY = Set.of("PodInitializing", "ContainerCreating");

  /** Phases that a pod does not leave. */
  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

  private static final String REVISION_LABEL = "controller-revision-hash";

  private PodFacts() {}

  /** Whether the condition Ready is True, also while the pod is being deleted. */
  public static boolean isReady(Pod pod) {
    return condition(pod, "Ready").filter(ready -> "True".equals(ready.getStatus())).isPresent();
  }

  /** Since when the condition Ready has been True; for ever, if it does not say. */
  public static Optional<Instant> readySince(Pod pod) {
    return condition(pod, "Ready")
        .filter(ready -> "True".equals(ready.getStatus()))
        .map(ready -> KubeTime.parse(ready.getLastTransitionTime()).orElse(Instant.EPOCH));
  }

  /** Whether the pod is being deleted. */
  public static boolean isTerminating(Pod pod) {
    return pod != null
        && pod.getMetadata() != null
        && pod.getMetadata().getDeletionTimestamp() != null;
  }

  /**
   * Whether a container of the pod waits for more than its turn, as in ImagePullBackOff or
   * CrashLoopBackOff, and the pod was never Ready.
   */
  public static boolean cannotStart(Pod pod) {
    return !wasReady(pod)
        && Stream.concat(initStatuses(pod), mainStatuses(pod))
            .map(ContainerStatus::getState)
            .filter(state -> state != null && state.getWaiting() != null)
            .map(state -> state.getWaiting().getReason())
            .anyMatch(reason -> reason != null && !ON_ITS_WAY.contains(reason));
  }

  /**
   * Where the pod can be reached, while it can: a pod that has ended, or is about to, may have lost
   * its address to another one.
   */
  public static Optional<String> address(Pod pod) {
    return Optional.ofNullable(pod)
        .filter(it -> !isTerminating(it))
        .filter(it -> !hasEnded(it))
        .map(Pod::getStatus)
        .map(PodStatus::getPodIP)
        .filter(address -> !address.isEmpty());
  }

  /** Whether the pod is in a phase that it does not leave. */
  public static boolean hasEnded(Pod pod) {
    return Optional.ofNullable(pod)
        .map(Pod::getStatus)
        .map(PodStatus::getPhase)
        .filter(ENDED::contains)
        .isPresent();
  }

  /** Whether the pod was Ready at any time, if it is not now. */
  public static boolean wasReady(Pod pod) {
    Optional<Instant> accepted =
        Optional.ofNullable(pod)
            .map(Pod::getStatus)
            .flatMap(status -> KubeTime.parse(status.getStartTime()));
    // A kubelet says that a pod is not Ready when it accepts it, and again when it no longer is.
    return isReady(pod)
        || condition(pod, "Ready")
            .flatMap(ready -> KubeTime.parse(ready.getLastTransitionTime()))
            .filter(since -> accepted.filter(since::isAfter).isPresent())
            .isPresent();
  }

  /**
   * Whether the pod is not Ready although its kubelet said that all containers are. The control
   * plane does that to pods on a machine that fell silent; with readiness gates others do it too.
   */
  public static boolean isReadinessOverruled(Pod pod) {
    return !isReady(pod)
        && condition(pod, "ContainersReady")
            .filter(containers -> "True".equals(containers.getStatus()))
            .isPresent();
  }

  /**
   * Whether the machine under the pod may be lost, so that it is worth asking for: the pod should
   * be gone, somebody other than its kubelet calls it unready, or it has been unready for longer
   * than the control plane takes to call a silent machine so (50 s unless configured otherwise).
   */
  public static boolean isMachineInDoubt(Pod pod, Instant now) {
    return isOverdue(pod, now)
        || isReadinessOverruled(pod)
        || condition(pod, "Ready")
            .filter(ready -> "False".equals(ready.getStatus()))
            .flatMap(ready -> KubeTime.parse(ready.getLastTransitionTime()))
            .filter(since -> since.plus(SILENCE).isBefore(now))
            .isPresent();
  }

  /**
   * Whether the pod is being deleted and should be gone. The API server puts the grace period into
   * {@code deletionTimestamp} already. A kubelet that is done deletes the pod once more without
   * grace, which moves that moment to now; hence the slack.
   */
  public static boolean isOverdue(Pod pod, Instant now) {
    return isTerminating(pod)
        && KubeTime.parse(pod.getMetadata().getDeletionTimestamp())
            .filter(due -> now.isAfter(due.plus(DELETION_SLACK)))
            .isPresent();
  }

  /** The StatefulSet revision the pod was made from. */
  public static Optional<String> revision(Pod pod) {
    return Optional.ofNullable(pod)
        .map(Pod::getMetadata)
        .map(metadata -> metadata.getLabels())
        .map(labels -> labels.get(REVISION_LABEL));
  }

  /** UID of the controller that owns the pod. */
  public static Optional<String> ownerUid(Pod pod) {
    if (pod == null || pod.getMetadata() == null) {
      return Optional.empty();
    }
    return pod.getMetadata().getOwnerReferences().stream()
        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
        .map(OwnerReference::getUid)
        .filter(Objects::nonNull)
        .findFirst();
  }

  /** Whether the controller that owns the pod is of this kind and name. */
  public static boolean isControlledBy(Pod pod, String kind, String name) {
    return pod.getMetadata().getOwnerReferences().stream()
        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
        .anyMatch(owner -> kind.equals(owner.getKind()) && name.equals(owner.getName()));
  }

  /** The one audience of tokens that the proxy in the pod takes; empty if it takes any. */
  public static Optional<String> sidecarAudience(Pod pod) {
    return Optional.ofNullable(pod)
        .map(Pod::getMetadata)
        .map(metadata -> metadata.getAnnotations())
        .map(annotations -> annotations.get(Annotations.SIDECAR_AUDIENCE));
  }

  /** Image the pod asks for in a container or init container. */
  public static Optional<String> image(Pod pod, String containerName) {
    if (pod == null || pod.getSpec() == null) {
      return Optional.empty();
    }
    return Stream.concat(
            pod.getSpec().getContainers().stream(), pod.getSpec().getInitContainers().stream())
        .filter(container -> containerName.equals(container.getName()))
        .map(Container::getImage)
        .filter(Objects::nonNull)
        .findFirst();
  }

  /** Whether the kubelet has the image of a container or init container and resolved its id. */
  public static boolean isPulled(Pod pod, String containerName) {
    return imageId(pod, containerName).isPresent();
  }

  /** What the kubelet resolved the image of a container or init container to. */
  public static Optional<String> imageId(Pod pod, String containerName) {
    return statuses(pod).stream()
        .filter(status -> containerName.equals(status.getName()))
        .map(ContainerStatus::getImageID)
        .filter(id -> id != null && !id.isEmpty())
        .findFirst();
  }

  /**
   * Most restarts of any container after it ended. An init container that ended well does not
   * count: it runs again with every new sandbox.
   */
  public static int crashes(Pod pod) {
    return Stream.concat(initStatuses(pod).filter(status -> !endedWell(status)), mainStatuses(pod))
        .filter(status -> status.getLastState() != null)
        .filter(status -> status.getLastState().getTerminated() != null)
        .mapToInt(PodFacts::restarts)
        .max()
        .orElse(0);
  }

  /** Where seid stopped for an upgrade, if a container of the pod did. */
  public static Optional<Halt> haltedAt(Pod pod) {
    return statuses(pod).stream().map(PodFacts::haltedAt).flatMap(Optional::stream).findFirst();
  }

  /**
   * The same of one container. One that was started again still counts until it is ready: it needs
   * minutes to reach the height once more, and the same image cannot pass it.
   */
  static Optional<Halt> haltedAt(ContainerStatus status) {
    return upgradePanic(status)
        .filter(panic -> panic.kind() == UpgradePanic.Kind.NEEDED)
        .map(panic -> new Halt(panic.upgrade(), panic.height()));
  }

  /** The upgrade panic that ended a container which is not ready again. */
  static Optional<UpgradePanic> upgradePanic(ContainerStatus status) {
    if (Boolean.TRUE.equals(status.getReady())) {
      return Optional.empty();
    }
    return lastEnd(status)
        .filter(end -> !Integer.valueOf(0).equals(end.getExitCode()))
        .flatMap(end -> UpgradePanic.in(end.getMessage()));
  }

  /** How a container ended most recently: it is down now, or was started again since. */
  static Optional<ContainerStateTerminated> lastEnd(ContainerStatus status) {
    return Stream.of(status.getState(), status.getLastState())
        .filter(Objects::nonNull)
        .map(state -> state.getTerminated())
        .filter(Objects::nonNull)
        .findFirst();
  }

  static int restarts(ContainerStatus status) {
    return status.getRestartCount() == null ? 0 : status.getRestartCount();
  }

  /** How a container that is down now, and will not be started again, has ended. */
  public static Optional<ContainerStateTerminated> end(Pod pod, String containerName) {
    return statuses(pod).stream()
        .filter(status -> containerName.equals(status.getName()))
        .map(ContainerStatus::getState)
        .filter(Objects::nonNull)
        .map(state -> state.getTerminated())
        .filter(Objects::nonNull)
        .findFirst();
  }

  /**
   * Why a pod that restarts none of its containers will not do its work any more, in one line: a
   * container that has to run has ended, or the whole pod was given up.
   */
  public static Optional<String> failure(Pod pod) {
    Stream<ContainerStatus> unfit =
        initStatuses(pod)
            .filter(status -> !isRestarted(pod, status))
            .filter(status -> !endedWell(status));
    Optional<String> container =
        Stream.concat(unfit, mainStatuses(pod))
            .flatMap(
                status -> end(pod, status.getName()).map(end -> describe(status, end)).stream())
            .findFirst();
    if (container.isPresent() || pod.getStatus() == null) {
      return container;
    }
    return "Failed".equals(pod.getStatus().getPhase())
        ? Optional.of(
            OneLine.of(
                pod.getStatus().getReason() + ": " + pod.getStatus().getMessage(), MAX_LAST_WORDS))
        : Optional.empty();
  }

  private static String describe(ContainerStatus status, ContainerStateTerminated end) {
    String words = OneLine.of(end.getMessage(), MAX_LAST_WORDS);
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
    return pod.getSpec() != null
        && pod.getSpec().getInitContainers().stream()
            .filter(container -> container.getName().equals(status.getName()))
            .anyMatch(container -> "Always".equals(container.getRestartPolicy()));
  }

  /** Whether a container is one that others wait for, be it a sidecar or one that ends. */
  static boolean isInitContainer(Pod pod, String name) {
    return initStatuses(pod).anyMatch(status -> name.equals(status.getName()));
  }

  /** Whether a container is an init container that did its work and will not run again. */
  static boolean isDone(Pod pod, ContainerStatus status) {
    return isInitContainer(pod, status.getName())
        && !isRestarted(pod, status)
        && status.getState() != null
        && status.getState().getTerminated() != null
        && endedWell(status);
  }

  /** Statuses in the order in which containers gate each other: init containers first. */
  static List<ContainerStatus> statuses(Pod pod) {
    return Stream.concat(initStatuses(pod), mainStatuses(pod)).toList();
  }

  /** Since when a container has been running; empty if it is not. */
  static Optional<Instant> runningSince(Pod pod, String containerName) {
    return statuses(pod).stream()
        .filter(status -> containerName.equals(status.getName()))
        .map(ContainerStatus::getState)
        .filter(state -> state != null && state.getRunning() != null)
        .flatMap(state -> KubeTime.parse(state.getRunning().getStartedAt()).stream())
        .findFirst();
  }

  /** When the kubelet last started a container that still runs, by its clock. */
  public static Optional<Instant> lastStart(Pod pod) {
    return statuses(pod).stream()
        .map(ContainerStatus::getState)
        .filter(state -> state != null && state.getRunning() != null)
        .flatMap(state -> KubeTime.parse(state.getRunning().getStartedAt()).stream())
        .max(Comparator.naturalOrder());
  }

  /** Whether any container runs now. */
  static boolean hasRunningContainer(Pod pod) {
    return statuses(pod).stream()
        .anyMatch(status -> status.getState() != null && status.getState().getRunning() != null);
  }

  /** Whether any container was ever started, for which the volumes had to be there. */
  static boolean hasStarted(Pod pod) {
    return hasRunningContainer(pod)
        || statuses(pod).stream().anyMatch(status -> lastEnd(status).isPresent());
  }

  static Optional<PodCondition> condition(Pod pod, String type) {
    if (pod == null || pod.getStatus() == null) {
      return Optional.empty();
    }
    return pod.getStatus().getConditions().stream()
        .filter(condition -> type.equals(condition.getType()))
        .findFirst();
  }

  /** The Kubernetes node that the pod is bound to. */
  public static Optional<String> nodeName(Pod pod) {
    return Optional.ofNullable(pod).map(Pod::getSpec).map(spec -> spec.getNodeName());
  }

  static String name(Pod pod) {
    return pod.getMetadata() == null ? null : pod.getMetadata().getName();
  }

  private static boolean endedWell(ContainerStatus status) {
    return lastEnd(status).filter(end -> Integer.valueOf(0).equals(end.getExitCode())).isPresent();
  }

  private static Stream<ContainerStatus> initStatuses(Pod pod) {
    return pod == null || pod.getStatus() == null
        ? Stream.empty()
        : pod.getStatus().getInitContainerStatuses().stream();
  }

  private static Stream<ContainerStatus> mainStatuses(Pod pod) {
    return pod == null || pod.getStatus() == null
        ? Stream.empty()
        : pod.getStatus().getContainerStatuses().stream();
  }
}
