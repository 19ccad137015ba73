package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.render.Names;
import java.util.List;
import java.util.Optional;

/**
 * PURE: shows a pod in which a run of seid was asked to end as if the next one were its first: the
 * kubelet counts such a run, and backs off after the second one. A crash of the next run shows all
 * that the kubelet has counted.
 */
final class EndedRun {

  /** Why a container waits that has yet to be started. */
  private static final String STARTING = "ContainerCreating";

  private EndedRun() {}

  /**
   * The pod without the end of a run; as it is, if that run is not seid's last.
   *
   * @param run container id; may be null
   */
  static Pod hidden(Pod pod, String run) {
    boolean isLast =
        run != null
            && pod.getStatus() != null
            && pod.getStatus().getContainerStatuses().stream()
                .anyMatch(container -> isLast(container, run));
    if (!isLast) {
      return pod;
    }
    List<ContainerStatus> shown =
        pod.getStatus().getContainerStatuses().stream()
            .map(container -> isLast(container, run) ? shown(container) : container)
            .toList();
    return new PodBuilder(pod).editStatus().withContainerStatuses(shown).endStatus().build();
  }

  private static boolean isLast(ContainerStatus status, String run) {
    return Names.SEID.equals(status.getName())
        && (isEndOf(status.getState(), run)
            || isEndOf(status.getLastState(), run) && !hasEnded(status.getState()));
  }

  private static ContainerStatus shown(ContainerStatus status) {
    ContainerStatus next = new ContainerStatusBuilder(status).build();
    next.setRestartCount(0);
    next.setLastState(new ContainerState());
    if (status.getState() == null || status.getState().getRunning() == null) {
      next.setState(new ContainerState(null, null, new ContainerStateWaiting(null, STARTING)));
    }
    return next;
  }

  private static boolean hasEnded(ContainerState state) {
    return state != null && state.getTerminated() != null;
  }

  private static boolean isEndOf(ContainerState state, String run) {
    return Optional.ofNullable(state)
        .map(ContainerState::getTerminated)
        .filter(end -> run.equals(end.getContainerID()))
        .isPresent();
  }
}
