package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
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
 * node to write to, no token, and no label that selects a node's pod.
 */
public final class PullJobRenderer {

  /** Deadline of a Job, shorter than any period after which an image is pulled again. */
  public static final Duration DEADLINE = Duration.ofMinutes(50);

  /**
   * Deadline of a Job that looks into files: until then its pod keeps the volume on its machine.
   */
  private static final Duration GATE_DEADLINE = Duration.ofMinutes(2);

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
        .withActiveDeadlineSeconds((pull.isGate() ? GATE_DEADLINE : DEADLINE).toSeconds())
        .withTtlSecondsAfterFinished((int) LEFT_FOR.toSeconds())
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels)
        .withAnnotations(Annotations.withoutCloudTokens(pull.containers().toList()))
        .endMetadata()
        .withSpec(spec(node, pull, pod.getSpec()))
        .endTemplate()
        .endSpec()
        .build();
  }

  private static PodSpec spec(SeiNode node, PullJob pull, PodSpec like) {
    return new PodSpecBuilder()
        .withNodeName(pull.kubernetesNode())
        .withRestartPolicy("Never")
        .withImagePullSecrets(like.getImagePullSecrets())
        .withTolerations(like.getTolerations())
        // Pull secrets and the kubelet's credential providers may go by it.
        .withServiceAccountName(like.getServiceAccountName())
        .withAutomountServiceAccountToken(false)
        .withEnableServiceLinks(false)
        .withSecurityContext(pull.isGate() ? seLinux(like) : null)
        .withVolumes(volumes(node, pull))
        .withContainers(containers(pull).toList())
        .build();
  }

  private static List<Volume> volumes(SeiNode node, PullJob pull) {
    if (pull.isGate()) {
      return List.of(Volumes.ofGate(node));
    }
    return pull.inspects() ? List.of(Volumes.ofPull()) : List.of();
  }

  /**
   * The SELinux options of the running pod, so that the volume keeps its label. Without an fsGroup
   * the kubelet changes no owner.
   */
  private static PodSecurityContext seLinux(PodSpec like) {
    PodSecurityContext context = like.getSecurityContext();
    return context == null || context.getSeLinuxOptions() == null
        ? null
        : new PodSecurityContextBuilder().withSeLinuxOptions(context.getSeLinuxOptions()).build();
  }

  private static Stream<Container> containers(PullJob pull) {
    if (pull.isGate()) {
      return pull.files().stream().map(file -> container(file, pull.images().getFirst()));
    }
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
    return complete(container, name, image)
        .withImagePullPolicy(image.always() ? "Always" : "IfNotPresent")
        .build();
  }

  /** A container with the image of the running seid: no other program gets at the volume. */
  private static Container container(GatedFile file, PulledImage image) {
    ContainerBuilder container = new ContainerBuilder();
    file.read(container);
    return complete(container, file.container(), image).withImagePullPolicy("IfNotPresent").build();
  }

  private static ContainerBuilder complete(
      ContainerBuilder container, String name, PulledImage image) {
    return container
        .withName(name)
        .withImage(image.name())
        .withNewResources()
        .withRequests(Map.of("cpu", new Quantity("10m"), "memory", new Quantity("32Mi")))
        .withLimits(Map.of("cpu", new Quantity("500m"), "memory", new Quantity("256Mi")))
        .endResources()
        .withSecurityContext(SecurityContexts.readOnlyRoot());
  }
}
