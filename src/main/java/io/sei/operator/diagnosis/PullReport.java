package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.base.Text;
import io.sei.operator.render.GatedFile;
import io.sei.operator.render.PullJob;
import io.sei.operator.render.PulledImage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** State of a Job that pulls images. */
public sealed interface PullReport {

  /** The mount of a file, in the words of any kubelet. */
  Pattern SUB_PATH = Pattern.compile("subpath", Pattern.CASE_INSENSITIVE);

  /** The kubelet has not reported an outcome yet. */
  record Pulling() implements PullReport {}

  /** The kubelet has the image, and its seid has not yet said what it is. */
  record Inspecting(List<String> imageIds) implements PullReport {}

  /**
   * The kubelet has the images, whatever became of the containers.
   *
   * @param imageIds resolved images, in their order
   * @param inspection of the first image; empty if the Job inspects none
   */
  record Pulled(List<String> imageIds, Optional<SeidInspection> inspection) implements PullReport {}

  /**
   * A Job has looked into the files.
   *
   * @param answers by file; empty if it is not on the volume
   */
  record LookedInto(Map<String, Optional<String>> answers) implements PullReport {}

  /**
   * The kubelet cannot get an image.
   *
   * @param cause the image, or the way to its registry
   */
  record Failed(String image, String why, StallReason cause) implements PullReport {

    private static Failed of(PullJob pull, String image, String why, StallReason cause) {
      String next =
          cause == StallReason.IMAGE_PULL
              ? "check the image and its pull secret"
              : ContainerSymptoms.checkRegistry(pull.kubernetesNode());
      return new Failed(image, why + "; " + next, cause);
    }
  }

  /** The pull was never attempted, so that it is unknown whether the kubelet can get the image. */
  record Untried(String why) implements PullReport {}

  /** Time within which a Job controller creates a pod unless something prevents it. */
  Duration PATIENCE = Duration.ofMinutes(1);

  /** Reason of the condition {@code Failed} of a Job that ran into its deadline. */
  String DEADLINE_EXCEEDED = "DeadlineExceeded";

  /** Text before the cause in the message of a kubelet that backs off. */
  String CAUSE = "ErrImagePull:";

  /** Reads the report of the Job's pod. */
  static PullReport of(PullJob pull, Pod pod) {
    if (pull.isGate()) {
      return gated(pull, pod);
    }
    var imageIds = new ArrayList<String>();
    Optional<String> blocked = Optional.empty();
    for (int index = 0; index < pull.images().size(); index++) {
      String container = PullJob.container(index);
      Optional<String> imageId = PodFacts.imageId(pod, container);
      if (imageId.isPresent()) {
        imageIds.add(imageId.get());
        continue;
      }
      Optional<ContainerStateWaiting> waiting = waiting(pod, container);
      if (waiting.isEmpty()) {
        continue;
      }
      String reason = waiting.get().getReason();
      if (ContainerSymptoms.NO_IMAGE.contains(reason)) {
        return Failed.of(
            pull,
            pull.images().get(index).name(),
            cause(waiting.get()),
            RegistryAnswer.cause(reason, waiting.get().getMessage()));
      }
      if (!PodFacts.STARTING.contains(reason)) {
        blocked = Optional.of(cause(waiting.get()));
      }
    }
    if (imageIds.size() == pull.images().size()) {
      return pulled(pull, pod, List.copyOf(imageIds));
    }
    if (PodFacts.hasEnded(pod)) {
      String why =
          Text.line(
              pod.getStatus().getReason() + ": " + pod.getStatus().getMessage(),
              PodFacts.MAX_LAST_WORDS);
      return new Untried("the kubelet does not run its pod (" + why + ")");
    }
    return blocked.isPresent()
        ? new Untried(blocked.get() + "; check the Events of pod " + PodFacts.name(pod))
        : new Pulling();
  }

  private static PullReport gated(PullJob pull, Pod pod) {
    var answers = new HashMap<String, Optional<String>>();
    for (GatedFile file : pull.files()) {
      Optional<ContainerStateWaiting> waiting = waiting(pod, file.container());
      if (waiting.isPresent() && waiting.get().getMessage() != null) {
        // Of a mount the kubelet says no more: a path would tell about the Kubernetes node.
        boolean isMissing = SUB_PATH.matcher(waiting.get().getMessage()).find();
        if (!isMissing) {
          return new Untried(
              cause(waiting.get()) + "; check the Events of pod " + PodFacts.name(pod));
        }
        answers.put(file.name(), Optional.empty());
        continue;
      }
      Optional<ContainerStateTerminated> end = terminated(pod, file.container());
      if (end.isEmpty()) {
        return PodFacts.hasEnded(pod)
            ? new Untried("the kubelet does not run its pod; check its Events")
            : new Inspecting(List.of());
      }
      String said = end.get().getMessage() == null ? "" : end.get().getMessage();
      answers.put(
          file.name(), said.equals(GatedFile.NO_FILE) ? Optional.empty() : Optional.of(said));
    }
    return new LookedInto(answers);
  }

  private static Optional<ContainerStateTerminated> terminated(Pod pod, String container) {
    return PodFacts.status(pod, container)
        .map(ContainerStatus::getState)
        .map(ContainerState::getTerminated);
  }

  private static PullReport pulled(PullJob pull, Pod pod, List<String> imageIds) {
    if (!pull.inspects()) {
      return new Pulled(imageIds, Optional.empty());
    }
    return terminated(pod, PullJob.container(0))
        .<PullReport>map(end -> new Pulled(imageIds, Optional.of(SeidInspection.of(end))))
        .orElseGet(() -> new Inspecting(imageIds));
  }

  /**
   * Reads the report of a Job that has no pod. Only the deadline is about the pull, of which the
   * kubelet had no answer by then: a Job without retries also fails when a drain or a user deletes
   * its pod.
   *
   * @param elapsed since the pull began
   */
  static PullReport of(PullJob pull, Job job, Duration elapsed) {
    String name = job.getMetadata().getName();
    Optional<JobCondition> failed = PodFacts.condition(job, "Failed");
    if (failed.isPresent()) {
      String why =
          "Job %s failed: %s"
              .formatted(name, Text.line(failed.get().getMessage(), PodFacts.MAX_LAST_WORDS));
      String images =
          pull.images().stream().map(PulledImage::name).collect(Collectors.joining(", "));
      return DEADLINE_EXCEEDED.equals(failed.get().getReason())
          ? Failed.of(pull, images, why, StallReason.REGISTRY_UNREACHABLE)
          : new Untried(why);
    }
    return elapsed.compareTo(PATIENCE) < 0
        ? new Pulling()
        : new Untried("Job %s has not created a pod; check its Events".formatted(name));
  }

  private static Optional<ContainerStateWaiting> waiting(Pod pod, String container) {
    return PodFacts.status(pod, container)
        .map(ContainerStatus::getState)
        .map(ContainerState::getWaiting)
        .filter(waiting -> waiting.getReason() != null);
  }

  /** Returns the same text whether the kubelet has just failed or backs off. */
  private static String cause(ContainerStateWaiting waiting) {
    String message = waiting.getMessage() == null ? "" : waiting.getMessage();
    int cause = message.indexOf(CAUSE);
    String text = cause < 0 ? message : message.substring(cause + CAUSE.length());
    return Text.line(text.isEmpty() ? waiting.getReason() : text, PodFacts.MAX_LAST_WORDS);
  }
}
