package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.sei.operator.render.ProxyAudience;
import java.util.List;

/**
 * Fields of a pod that are kept in memory: metadata and status, and of its spec the Kubernetes
 * node, the readiness gates, and of each container its image, whether it is a sidecar, for which
 * signing key it was started, and whose tokens a proxy accepts. The rest is the StatefulSet's
 * template once more, and was a third of what a node costs.
 */
final class TrimmedPod {

  private TrimmedPod() {}

  /** A copy without the fields that no reader of the cache uses. */
  static Pod of(Pod pod) {
    PodSpec spec = pod.getSpec();
    return spec == null
        ? pod
        : new PodBuilder()
            .withMetadata(pod.getMetadata())
            .withSpec(
                new PodSpecBuilder()
                    .withNodeName(spec.getNodeName())
                    .withReadinessGates(spec.getReadinessGates())
                    .withContainers(trimmed(spec.getContainers()))
                    .withInitContainers(trimmed(spec.getInitContainers()))
                    .build())
            .withStatus(pod.getStatus())
            .build();
  }

  private static List<Container> trimmed(List<Container> containers) {
    return containers.stream()
        .map(
            container ->
                new ContainerBuilder()
                    .withName(container.getName())
                    .withImage(container.getImage())
                    .withRestartPolicy(container.getRestartPolicy())
                    .withArgs(container.getArgs().stream().filter(ProxyAudience::isFlag).toList())
                    .withResources(container.getResources())
                    .withEnv(container.getEnv().stream().filter(PodSigningKey::isVariable).toList())
                    .build())
        .toList();
  }
}
