package io.sei.operator.node.objects;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.diagnosis.CrashedRun;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * State of a bootstrap Job's run, by its pod. The Job itself is no help: while ordinary sidecars
 * run it never completes.
 */
public sealed interface BootstrapState {

  /** No pod goes on with the run: there is none, it is leaving, or it has failed. */
  sealed interface Interrupted extends BootstrapState {}

  /** There is no pod. */
  record Missing() implements Interrupted {}

  /** A pod is terminating, or there are several: only one may be spoken to. */
  record Leaving(String pods) implements Interrupted {}

  /** The pod has yet to end, or even to start. */
  record Running(Pod pod) implements BootstrapState {}

  /** seid has halted at the height. */
  record Succeeded(Pod pod) implements BootstrapState {}

  /** The pod will not get there any more. */
  record Failed(String cause) implements Interrupted {}

  /**
   * A seid that halts sends itself the signals that end it. It hears them where it has run for some
   * seconds; one that halts as soon as it has started, as on a retry, ends by them. It ends in the
   * same way where its machine stops it; then only its log proves the halt.
   */
  private static boolean hasHalted(Pod pod, ContainerStateTerminated end) {
    return end.getExitCode() == 0 && !PodFacts.isDisrupted(pod) || CrashedRun.isConfiguredHalt(end);
  }

  /**
   * Reads it off the pods.
   *
   * @param pods every pod of a bootstrap Job of the node
   * @param run names the run that is meant
   */
  static BootstrapState of(List<Pod> pods, String run) {
    if (pods.isEmpty()) {
      return new Missing();
    }
    Pod pod = pods.get(0);
    if (pods.size() > 1
        || PodFacts.isTerminating(pod)
        || !Annotations.has(pod, Annotations.BOOTSTRAP_RUN, run)) {
      return new Leaving(
          pods.stream()
              .map(other -> other.getMetadata().getName())
              .sorted()
              .collect(Collectors.joining(", ")));
    }
    Optional<ContainerStateTerminated> end = PodFacts.end(pod, Names.SEID);
    if (end.filter(ended -> hasHalted(pod, ended)).isPresent()) {
      return new Succeeded(pod);
    }
    return PodFacts.failure(pod)
        .<BootstrapState>map(
            failure -> new Failed("bootstrap pod " + pod.getMetadata().getName() + ": " + failure))
        .orElseGet(() -> new Running(pod));
  }
}
