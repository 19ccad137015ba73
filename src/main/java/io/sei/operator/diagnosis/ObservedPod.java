package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.PodUpdate.UpdatedContainer;
import io.sei.operator.api.v1alpha1.PodUpdateUpdatedContainerBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.base.Times;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * PURE: shows a pod as if its last update in place had created it. Runs of the earlier image are no
 * evidence for or against the new one: they are left out, restarts count from the first run of the
 * new image, and a readiness of an earlier run does not count. Callers need not know how the pod
 * came to its images.
 */
public final class ObservedPod {

  private static final String CRASH_LOOP = "CrashLoopBackOff";

  /** Exit codes after SIGKILL and SIGTERM. */
  private static final Set<Integer> SIGNALLED = Set.of(137, 143);

  /**
   * A container that is restarted at the moment of its update may have a run that the kubelet has
   * not reported yet, which is of the image before.
   */
  private static final long UNTOLD_SECONDS = 5;

  private final Pod pod;
  private final PodUpdate update;

  private ObservedPod(Pod pod, PodUpdate update) {
    this.pod = pod;
    this.update = update;
  }

  /**
   * The pod as a node's status accounts for it: since its last update, and without an ended run.
   */
  public static Pod of(Pod pod, SeiNodeStatus status) {
    return EndedRun.hidden(update(pod, status.podUpdate()), status.endedRun());
  }

  /**
   * The pod since an update; as it is, if that was not carried out on it.
   *
   * @param update may be null
   */
  public static Pod update(Pod pod, PodUpdate update) {
    return isCarriedOut(pod, update) && !update.containers().isEmpty()
        ? new ObservedPod(pod, update).view()
        : pod;
  }

  /** Returns whether the pod has what an update was to give it: the stamps of that come last. */
  public static boolean isCarriedOut(Pod pod, PodUpdate update) {
    return update != null
        && !(update.containers().isEmpty() && update.resized().isEmpty())
        && update.isOf(
            pod.getMetadata().getUid(),
            PodFacts.revision(pod).orElse(null),
            Annotations.of(pod, Annotations.SPEC_HASH).orElse(null))
        && pod.getStatus() != null;
  }

  /**
   * Returns whether every container that was updated has its image, or another one than before,
   * which admission made of it; if the image before is not known, only its own. The kubelet starts
   * no container again whose image is as it was.
   */
  public static boolean hasImages(Pod pod, PodUpdate update) {
    return update.containers().stream().allMatch(updated -> hasImage(pod, updated));
  }

  private static boolean hasImage(Pod pod, UpdatedContainer updated) {
    String image = PodFacts.image(pod, updated.name()).orElse(null);
    if (image == null) {
      return false;
    }
    if (image.equals(updated.image())) {
      return true;
    }
    return updated.previousImage() != null && !image.equals(updated.previousImage());
  }

  /**
   * Why an updated container has not got its new image, in the words of the kubelet; empty while it
   * may yet get it.
   */
  public static Optional<PullReport.Failed> missingImage(Pod pod, PodUpdate update) {
    return update.containers().stream()
        .flatMap(container -> PodFacts.status(pod, container.name()).stream())
        .filter(
            status ->
                PodFacts.waitsFor(status)
                    .filter(ContainerSymptoms.NO_IMAGE::contains)
                    .filter(reason -> !reason.equals("ErrImagePull"))
                    .isPresent())
        .map(ObservedPod::failed)
        .findFirst();
  }

  private static PullReport.Failed failed(ContainerStatus status) {
    String message = status.getState().getWaiting().getMessage();
    String reason = status.getState().getWaiting().getReason();
    return new PullReport.Failed(
        status.getImage(),
        status.getName() + ": " + (message == null ? reason : reason + ": " + message),
        RegistryAnswer.cause(reason, message));
  }

  /** Returns whether every updated container has had a run of its new image. */
  public static boolean hasRunSince(Pod pod, PodUpdate update) {
    var since = new ObservedPod(pod, update);
    return update.containers().stream()
        .allMatch(
            container ->
                PodFacts.status(pod, container.name())
                    .filter(s -> since.isNew(s, container))
                    .isPresent());
  }

  /** Returns whether a container has run in a pod, and has an image to run again with. */
  public static boolean hasRun(Pod pod, String container) {
    return PodFacts.status(pod, container)
        .filter(status -> status.getContainerID() != null && !status.getContainerID().isEmpty())
        .filter(
            status ->
                PodFacts.waitsFor(status).filter(ContainerSymptoms.NO_IMAGE::contains).isEmpty())
        .isPresent();
  }

  /**
   * Returns whether a run of a container has ended with an error of its own. A run that the kubelet
   * stopped, such as for our own patch of its image, says nothing of the image.
   */
  public static boolean hasCrashed(Pod pod, String container) {
    return PodFacts.status(pod, container)
        .flatMap(PodFacts::lastEnd)
        .filter(end -> !Integer.valueOf(0).equals(end.getExitCode()) && !isStopped(end))
        .isPresent();
  }

  private static boolean isStopped(ContainerStateTerminated end) {
    boolean isOutOfMemory = "OOMKilled".equals(end.getReason());
    return SIGNALLED.contains(end.getExitCode()) && !isOutOfMemory;
  }

  /** Returns the state of a container before it is given another image. */
  public static UpdatedContainer before(Pod pod, String container, String image) {
    Optional<ContainerStatus> status = PodFacts.status(pod, container);
    return PodUpdateUpdatedContainerBuilder.builder()
        .name(container)
        .image(image)
        .previousImage(PodFacts.image(pod, container).orElse(null))
        .containerID(status.map(ContainerStatus::getContainerID).orElse(null))
        .imageID(status.map(ContainerStatus::getImageID).orElse(null))
        .running(status.filter(PodFacts::isRunning).isPresent())
        .restartCount(status.map(PodFacts::restarts).orElse(0))
        .build();
  }

  /** The update with the first run of each new image, as far as it was seen by now. */
  public static PodUpdate observed(Pod pod, PodUpdate update) {
    var since = new ObservedPod(pod, update);
    return update.withContainers(update.containers().stream().map(since::observed).toList());
  }

  private UpdatedContainer observed(UpdatedContainer updated) {
    return updated.firstRestartCount() != null
        ? updated
        : PodFacts.status(pod, updated.name())
            .filter(status -> isNew(status, updated))
            .map(
                status ->
                    updated.with(
                        builder ->
                            builder
                                .firstRestartCount(PodFacts.restarts(status))
                                .startedAt(began(status).orElse(null))))
            .orElse(updated);
  }

  private Pod view() {
    PodStatus status = pod.getStatus();
    boolean isSeidYetToRun =
        of(Names.SEID)
            .filter(
                container ->
                    PodFacts.status(pod, Names.SEID).filter(s -> !isNew(s, container)).isPresent())
            .isPresent();
    return new PodBuilder(pod)
        .withStatus(
            new PodStatusBuilder(status)
                .withStartTime(startTime())
                .withContainerStatuses(since(status.getContainerStatuses()))
                .withInitContainerStatuses(since(status.getInitContainerStatuses()))
                .withConditions(
                    isSeidYetToRun ? unready(status.getConditions()) : status.getConditions())
                .build())
        .build();
  }

  private String startTime() {
    return of(Names.SEID)
        .map(UpdatedContainer::startedAt)
        .or(() -> Optional.ofNullable(update.at()))
        .map(Instant::toString)
        .orElse(pod.getStatus().getStartTime());
  }

  private Optional<UpdatedContainer> of(String container) {
    return update.containers().stream()
        .filter(candidate -> candidate.name().equals(container))
        .findFirst();
  }

  private List<PodCondition> unready(List<PodCondition> conditions) {
    return conditions.stream()
        .map(
            condition ->
                List.of("Ready", "ContainersReady").contains(condition.getType())
                        && "True".equals(condition.getStatus())
                    ? new PodConditionBuilder(condition)
                        .withStatus("False")
                        .withReason("ContainersNotReady")
                        .withLastTransitionTime(startTime())
                        .build()
                    : condition)
        .toList();
  }

  private List<ContainerStatus> since(List<ContainerStatus> statuses) {
    return statuses.stream()
        .map(
            status ->
                of(status.getName()).map(container -> since(status, container)).orElse(status))
        .toList();
  }

  private ContainerStatus since(ContainerStatus status, UpdatedContainer updated) {
    if (!isNew(status, updated)) {
      return yetToRun(status);
    }
    int first =
        Optional.ofNullable(updated.firstRestartCount()).orElseGet(() -> PodFacts.restarts(status));
    int restarts = Math.max(0, PodFacts.restarts(status) - first);
    ContainerStatusBuilder since = new ContainerStatusBuilder(status).withRestartCount(restarts);
    boolean hadOthers =
        Optional.ofNullable(status.getLastState())
            .map(ContainerState::getTerminated)
            .map(ContainerStateTerminated::getContainerID)
            .filter(id -> restarts == 0 && !id.equals(status.getContainerID()))
            .isPresent();
    return hadOthers ? since.withLastState(null).build() : since.build();
  }

  /**
   * Returns the status of a container that has not run its new image: the failed pull is the new
   * image's, since a container without an image is not updated.
   */
  private static ContainerStatus yetToRun(ContainerStatus status) {
    boolean isOfNewImage =
        PodFacts.waitsFor(status).filter(reason -> !reason.equals(CRASH_LOOP)).isPresent();
    return new ContainerStatusBuilder()
        .withName(status.getName())
        .withImage(status.getImage())
        .withImageID("")
        .withReady(false)
        .withStarted(false)
        .withRestartCount(0)
        .withState(
            isOfNewImage
                ? status.getState()
                : new ContainerStateBuilder()
                    .withNewWaiting()
                    .withReason("ContainerCreating")
                    .endWaiting()
                    .build())
        .build();
  }

  /**
   * Returns whether the run that the kubelet tells of is of the new image. Another image says so by
   * itself. Two tags of one image do not: then the kubelet must have the new spec, and the run must
   * have begun since, and not be one that crashed meanwhile and was not reported yet. A kubelet
   * that hears late of the new spec may have run the tag before once more, in the second of the
   * update or after it: that is the same program, so what it shows holds for the other tag, and to
   * doubt it would leave a run that began at once unbelieved until the progress deadline.
   */
  private boolean isNew(ContainerStatus status, UpdatedContainer before) {
    String run = status.getContainerID();
    if (run == null || run.isEmpty() || run.equals(before.containerID())) {
      return false;
    }
    boolean isOtherImage =
        status.getImageID() != null
            && !status.getImageID().isEmpty()
            && !Objects.equals(status.getImageID(), before.imageID());
    return isOtherImage
        || hasKubeletCaughtUp(pod) && began(status).filter(at -> isSince(at, before)).isPresent();
  }

  private boolean isSince(Instant began, UpdatedContainer before) {
    if (update.at() == null) {
      return false;
    }
    Instant at = update.at().truncatedTo(ChronoUnit.SECONDS);
    boolean mayBeUntold = !Boolean.TRUE.equals(before.running());
    return !began.isBefore(mayBeUntold ? at.plusSeconds(UNTOLD_SECONDS) : at);
  }

  /** A kubelet before Kubernetes 1.33 does not say. */
  static boolean hasKubeletCaughtUp(Pod pod) {
    Long observed = pod.getStatus().getObservedGeneration();
    Long generation = pod.getMetadata().getGeneration();
    return observed == null || generation == null || observed >= generation;
  }

  /** Start of the newest run, which may have ended. */
  private static Optional<Instant> began(ContainerStatus status) {
    return PodFacts.runningSince(status)
        .or(
            () ->
                PodFacts.lastEnd(status)
                    .filter(end -> Objects.equals(end.getContainerID(), status.getContainerID()))
                    .flatMap(end -> Times.parse(end.getStartedAt())));
  }
}
