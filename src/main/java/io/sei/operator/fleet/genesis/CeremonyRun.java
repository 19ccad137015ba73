package io.sei.operator.fleet.genesis;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.sei.operator.base.Text;
import java.util.Optional;
import java.util.stream.Stream;

/** PURE: how far the Job of a ceremony is. */
sealed interface CeremonyRun {

  /**
   * It has not ended.
   *
   * @param words to go behind its name
   */
  record Running(String words) implements CeremonyRun {}

  /** It ended, and printed a genesis. */
  record Done(Pod pod) implements CeremonyRun {}

  /** It ended well, and nobody can read any more what it printed. */
  record Lost() implements CeremonyRun {}

  /** It ended without one. */
  record Failed(String why) implements CeremonyRun {}

  /** Longest piece of what a tool said. */
  int MAX_WORDS = 400;

  /**
   * How far it is.
   *
   * @param pod of the Job
   */
  static CeremonyRun of(Job job, Optional<Pod> pod) {
    if (condition(job, "Complete").isPresent()) {
      return pod.filter(it -> !it.isMarkedForDeletion())
          .<CeremonyRun>map(Done::new)
          .orElseGet(Lost::new);
    }
    return condition(job, "Failed")
        .<CeremonyRun>map(it -> new Failed(why(it, pod)))
        .orElseGet(() -> new Running(waiting(pod).map(" waits: "::concat).orElse(" runs")));
  }

  private static Optional<JobCondition> condition(Job job, String type) {
    return job.getStatus() == null
        ? Optional.empty()
        : job.getStatus().getConditions().stream()
            .filter(it -> type.equals(it.getType()) && "True".equals(it.getStatus()))
            .findFirst();
  }

  /** What the tools said, or the Job controller where they said nothing. */
  private static String why(JobCondition failed, Optional<Pod> pod) {
    return states(pod)
        .map(ContainerState::getTerminated)
        .filter(it -> it != null && it.getMessage() != null)
        .map(ContainerStateTerminated::getMessage)
        .map(it -> end(Text.line(it, Integer.MAX_VALUE)))
        .findFirst()
        .orElseGet(() -> Text.line(String.valueOf(failed.getMessage()), MAX_WORDS));
  }

  private static String end(String words) {
    return words.substring(Math.max(0, words.length() - MAX_WORDS));
  }

  private static Optional<String> waiting(Optional<Pod> pod) {
    return states(pod)
        .map(ContainerState::getWaiting)
        .filter(it -> it != null && it.getMessage() != null)
        .map(it -> Text.line(it.getReason() + ": " + it.getMessage(), MAX_WORDS))
        .findFirst();
  }

  private static Stream<ContainerState> states(Optional<Pod> pod) {
    return pod.stream()
        .filter(it -> it.getStatus() != null)
        .flatMap(it -> it.getStatus().getContainerStatuses().stream())
        .map(ContainerStatus::getState)
        .filter(it -> it != null);
  }
}
