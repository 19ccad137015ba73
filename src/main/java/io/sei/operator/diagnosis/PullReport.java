package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.sei.operator.base.Text;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** How the pull of an image by a Job stands. */
public sealed interface PullReport {

  /** The kubelet has not said anything yet. */
  record Pulling() implements PullReport {}

  /** The kubelet has the image, whatever became of the container. */
  record Pulled(String resolved) implements PullReport {}

  /** It will not get it. */
  record Failed(String why) implements PullReport {}

  /** It is not known whether it would get it: nothing got as far as the pull. */
  record Untried(String why) implements PullReport {}

  /** Nobody pulls any more, and nobody has said what came of it. */
  record Gone() implements PullReport {}

  /** So long a Job controller has for making a pod before it must be something that forbids it. */
  Duration PATIENCE = Duration.ofMinutes(1);

  /** What a kubelet that backs off repeats the cause behind. */
  String CAUSE = "ErrImagePull:";

  /**
   * How it stands.
   *
   * @param job empty if there is none; need not be known while there is a pod
   * @param pods the Job's, at most one
   * @param elapsed since the pull began
   */
  static PullReport of(Optional<Job> job, List<Pod> pods, Duration elapsed) {
    return pods.stream()
        .findFirst()
        .map(PullReport::of)
        .orElseGet(() -> job.map(it -> withoutPod(it, elapsed)).orElseGet(Gone::new));
  }

  private static PullReport of(Pod pod) {
    Optional<String> imageId = PodFacts.imageId(pod, Names.PULL);
    if (imageId.isPresent()) {
      return new Pulled(imageId.get());
    }
    Optional<ContainerStateWaiting> waiting =
        PodFacts.status(pod, Names.PULL)
            .map(ContainerStatus::getState)
            .map(ContainerState::getWaiting)
            .filter(it -> it.getReason() != null);
    if (waiting.filter(it -> ContainerSymptoms.NO_IMAGE.contains(it.getReason())).isPresent()) {
      return new Failed(words(waiting.get()) + "; check the image and its pull secret");
    }
    if (PodFacts.hasEnded(pod)) {
      String why =
          Text.line(
              pod.getStatus().getReason() + ": " + pod.getStatus().getMessage(),
              PodFacts.MAX_LAST_WORDS);
      return new Untried("the kubelet does not run its pod (" + why + ")");
    }
    return waiting.filter(it -> !PodFacts.STARTING.contains(it.getReason())).isPresent()
        ? new Untried(words(waiting.get()) + "; check the Events of pod " + PodFacts.name(pod))
        : new Pulling();
  }

  /** The same whether the kubelet has just failed or backs off. */
  private static String words(ContainerStateWaiting waiting) {
    String message = waiting.getMessage() == null ? "" : waiting.getMessage();
    int cause = message.indexOf(CAUSE);
    String words = cause < 0 ? message : message.substring(cause + CAUSE.length());
    return Text.line(words.isEmpty() ? waiting.getReason() : words, PodFacts.MAX_LAST_WORDS);
  }

  private static PullReport withoutPod(Job job, Duration elapsed) {
    String name = job.getMetadata().getName();
    Optional<String> failure =
        Optional.ofNullable(job.getStatus()).stream()
            .flatMap(status -> status.getConditions().stream())
            .filter(it -> "Failed".equals(it.getType()) && "True".equals(it.getStatus()))
            .map(JobCondition::getMessage)
            .map(it -> Text.line(it, PodFacts.MAX_LAST_WORDS))
            .findFirst();
    if (failure.isPresent()) {
      return new Failed("Job %s failed: %s".formatted(name, failure.get()));
    }
    return elapsed.compareTo(PATIENCE) < 0
        ? new Pulling()
        : new Untried("Job %s has not created a pod; check its Events".formatted(name));
  }
}
