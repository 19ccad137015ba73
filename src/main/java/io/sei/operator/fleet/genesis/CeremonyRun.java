package io.sei.operator.fleet.genesis;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.sei.operator.base.Text;
import io.sei.operator.base.Times;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Evidence;
import io.sei.operator.diagnosis.PodFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** PURE: how far the Job of a ceremony is. */
sealed interface CeremonyRun {

  /**
   * The ceremony has not ended.
   *
   * @param words to go behind its name
   */
  record Running(String words) implements CeremonyRun {}

  /** The ceremony has ended and printed a genesis. */
  record Done(Pod pod) implements CeremonyRun {}

  /** Its pod was evicted, or deleted with its output. */
  record Lost() implements CeremonyRun {}

  /** The ceremony has ended without a genesis. */
  record Failed(String why) implements CeremonyRun {}

  /** Longest piece of what a tool said. */
  int MAX_WORDS = 400;

  /**
   * Returns the state of the ceremony. A container that has ended well is read before the kubelet
   * reports that its pod has succeeded, and the Job controller has counted it: that takes them a
   * second each.
   *
   * @param pod of the Job
   */
  static CeremonyRun of(Job job, Optional<Pod> pod) {
    Optional<JobCondition> failed = PodFacts.condition(job, "Failed");
    if (failed.isPresent()) {
      return PodFacts.isInterrupted(failed.get(), pod)
          ? new Lost()
          : new Failed(why(failed.get(), pod));
    }
    Optional<Pod> kept = pod.filter(candidate -> !candidate.isMarkedForDeletion());
    boolean isComplete = PodFacts.condition(job, "Complete").isPresent();
    if (isComplete || kept.filter(CeremonyRun::hasEndedWell).isPresent()) {
      return kept.<CeremonyRun>map(Done::new).orElseGet(Lost::new);
    }
    return new Running(progress(pod));
  }

  /** Of containers that were injected into the pod nothing is expected. */
  private static boolean hasEndedWell(Pod pod) {
    return PodFacts.status(pod, CeremonyJob.CONTAINER)
        .map(ContainerStatus::getState)
        .map(ContainerState::getTerminated)
        .filter(end -> Integer.valueOf(0).equals(end.getExitCode()))
        .isPresent();
  }

  /**
   * Reports whether a ceremony takes longer than it may. The Job controller ends a Job that does;
   * this holds where there is none, where the Job is not deleted, and where its log is not
   * readable.
   */
  static boolean isOverdue(Job job, Duration limit, Instant now) {
    ObjectMeta metadata = job.getMetadata();
    String began =
        metadata.getDeletionTimestamp() == null
            ? metadata.getCreationTimestamp()
            : metadata.getDeletionTimestamp();
    return Times.parse(began).filter(since -> !now.isBefore(since.plus(limit))).isPresent();
  }

  /** Returns why the Job controller cannot create the pod, after a colon; empty if it can. */
  static String refusal(List<Event> events, Instant now) {
    return Diagnosis.of(Evidence.none().withEvents(events), now)
        .map(finding -> ": " + Text.line(finding.seen(), MAX_WORDS))
        .orElse("");
  }

  /** Returns the error of the tools, or of the Job controller where they printed none. */
  private static String why(JobCondition failed, Optional<Pod> pod) {
    return states(pod)
        .map(ContainerState::getTerminated)
        .filter(terminated -> terminated != null && terminated.getMessage() != null)
        .map(ContainerStateTerminated::getMessage)
        .map(message -> end(Text.line(message, Integer.MAX_VALUE)))
        .findFirst()
        .orElseGet(() -> Text.line(String.valueOf(failed.getMessage()), MAX_WORDS));
  }

  private static String end(String words) {
    return words.substring(Math.max(0, words.length() - MAX_WORDS));
  }

  /** Names the step and the Kubernetes node that the Job waits for. */
  private static String progress(Optional<Pod> pod) {
    if (pod.isEmpty()) {
      return " waits for its pod, which the Job controller creates";
    }
    Optional<String> waiting = waiting(pod);
    if (waiting.isPresent()) {
      return " waits: " + waiting.get();
    }
    Optional<String> unschedulable = unschedulable(pod.get());
    if (unschedulable.isPresent()) {
      return " waits: " + unschedulable.get();
    }
    Optional<String> node = PodFacts.nodeName(pod.get());
    if (node.isEmpty()) {
      return " waits for a Kubernetes node for its pod";
    }
    boolean isRunning = states(pod).anyMatch(state -> state.getRunning() != null);
    return isRunning ? " runs on " + node.get() : " waits for its pod to start on " + node.get();
  }

  private static Optional<String> unschedulable(Pod pod) {
    return PodFacts.condition(pod, "PodScheduled", "False")
        .map(
            condition ->
                Text.line(condition.getReason() + ": " + condition.getMessage(), MAX_WORDS));
  }

  private static Optional<String> waiting(Optional<Pod> pod) {
    return states(pod)
        .map(ContainerState::getWaiting)
        .filter(waiting -> waiting != null && waiting.getMessage() != null)
        .map(waiting -> Text.line(waiting.getReason() + ": " + waiting.getMessage(), MAX_WORDS))
        .findFirst();
  }

  private static Stream<ContainerState> states(Optional<Pod> pod) {
    return pod.stream()
        .filter(candidate -> candidate.getStatus() != null)
        .flatMap(other -> other.getStatus().getContainerStatuses().stream())
        .map(ContainerStatus::getState)
        .filter(state -> state != null);
  }
}
