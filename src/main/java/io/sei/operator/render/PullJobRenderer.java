package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Renders the Job that has a kubelet pull images ahead. Its pod is bound to the Kubernetes node of
 * the node's pod, pulls with the same rights, and is no part of the node: it has no volume of the
 * node, no token, and no label that selects a node's pod.
 */
public final class PullJobRenderer {

  /** Deadline of a Job, shorter than any period after which an image is pulled again. */
  public static final Duration DEADLINE = Duration.ofMinutes(50);

  /** Lifetime after its end of a Job that no operator deletes. */
  public static final Duration LEFT_FOR = Duration.ofMinutes(10);

  /**
   * Renders the Job.
   *
   * @param pod the node's pod, as it is: admission and webhooks may have added pull secrets
   */
  public Job render(SeiNode node, PullJob pull, Pod pod) {
    var labels = Labels.ofPull(node.getMetadata().getName());
    return new JobBuilder()
        .withNewMetadata()
        .withName(Names.pullJob(node, pull))
        .withNamespace(node.getMetadata().getNamespace())
        .withLabels(labels)
        .withOwnerReferences(Metadata.controller(node))
        .endMetadata()
        .withNewSpec()
        .withBackoffLimit(0)
        .withActiveDeadlineSeconds(DEADLINE.toSeconds())
        .withTtlSecondsAfterFinished((int) LEFT_FOR.toSeconds())
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels)
        .withAnnotations(
            Annotations.withoutCloudTokens(containers(pull).map(Container::getName).toList()))
        .endMetadata()
        .withSpec(spec(pull, pod.getSpec()))
        .endTemplate()
        .endSpec()
        .build();
  }

  private static PodSpec spec(PullJob pull, PodSpec like) {
    return new PodSpecBuilder()
        .withNodeName(pull.kubernetesNode())
        .withRestartPolicy("Never")
        .withImagePullSecrets(like.getImagePullSecrets())
        .withTolerations(like.getTolerations())
        // Pull secrets and the kubelet's credential providers may go by it.
        .withServiceAccountName(like.getServiceAccountName())
        .withAutomountServiceAccountToken(false)
        .withEnableServiceLinks(false)
        .withVolumes(pull.inspects() ? List.of(Volumes.ofPull()) : List.of())
        .withContainers(containers(pull).toList())
        .build();
  }

  private static Stream<Container> containers(PullJob pull) {
    return IntStream.range(0, pull.images().size())
        .mapToObj(index -> container(PullJob.container(index), pull.images().get(index)));
  }

  private static Container container(String name, PulledImage image) {
    ContainerBuilder container = new ContainerBuilder();
    image.program().run(container);
    if (image.program() == PulledProgram.INSPECTED_SEID) {
      container
          .withEnv(new EnvVar("HOME", Volumes.SCRATCH_PATH, null))
          .withVolumeMounts(Volumes.scratch());
    }
    return container
        .withName(name)
        .withImage(image.name())
        .withImagePullPolicy(image.always() ? "Always" : "IfNotPresent")
        .withNewResources()
        .withRequests(Map.of("cpu", new Quantity("10m"), "memory", new Quantity("32Mi")))
        .withLimits(Map.of("cpu", new Quantity("500m"), "memory", new Quantity("256Mi")))
        .endResources()
        .withSecurityContext(SecurityContexts.readOnlyRoot())
        .build();
  }
}
