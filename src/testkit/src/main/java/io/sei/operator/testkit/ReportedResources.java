package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * PURE: which resources a kubelet says that containers have. Those that a running pod is given are
 * applied in under a second, and nothing restarts (facts of a real kubelet, 1.37), unless there is
 * no room.
 *
 * @param previous the status last written or read; may be null
 * @param hasRoom whether containers that run get others than they have
 */
record ReportedResources(Pod pod, PodStatus previous, boolean hasRoom) {

  List<ContainerStatus> in(List<ContainerStatus> statuses) {
    return statuses.stream()
        .map(
            container ->
                isResizable(container)
                    ? new ContainerStatusBuilder(container).withResources(of(container)).build()
                    : container)
        .toList();
  }

  /** Returns whether a container that runs asks for others than it has. */
  boolean differ(List<ContainerStatus> statuses) {
    return statuses.stream()
        .anyMatch(
            container ->
                isResizable(container)
                    && !Objects.equals(container.getResources(), asked(container)));
  }

  private boolean isResizable(ContainerStatus status) {
    Container container = PodShape.named(pod, status.getName()).orElseThrow();
    boolean isInit = PodShape.initContainers(pod).contains(container);
    return status.getContainerID() != null && (!isInit || PodShape.isNativeSidecar(container));
  }

  private ResourceRequirements of(ContainerStatus status) {
    return hasRoom ? asked(status) : had(status).orElseGet(() -> asked(status));
  }

  private ResourceRequirements asked(ContainerStatus status) {
    return PodShape.named(pod, status.getName()).map(Container::getResources).orElse(null);
  }

  private Optional<ResourceRequirements> had(ContainerStatus status) {
    return Stream.ofNullable(previous)
        .flatMap(
            podStatus ->
                Stream.of(podStatus.getContainerStatuses(), podStatus.getInitContainerStatuses()))
        .flatMap(List::stream)
        .filter(container -> container.getName().equals(status.getName()))
        .map(ContainerStatus::getResources)
        .filter(Objects::nonNull)
        .findFirst();
  }
}
