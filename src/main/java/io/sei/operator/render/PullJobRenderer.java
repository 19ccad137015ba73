package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
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

/**
 * The Job that has a kubelet pull an image ahead. Its pod is bound to the Kubernetes node of the
 * node's pod, pulls with the same rights, and belongs to nothing of the node: it has no volume, no
 * token, and no label that anything selects a node's pod by.
 */
public final class PullJobRenderer {

  /** A Job that is not done by then ends; one that nobody deletes is gone as long after its end. */
  public static final Duration DEADLINE = Duration.ofHours(1);

  private static final int LEFT_FOR_SECONDS = 600;

  /**
   * The Job to create.
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
        .withTtlSecondsAfterFinished(LEFT_FOR_SECONDS)
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels)
        .withAnnotations(Annotations.withoutCloudTokens(List.of(Names.PULL)))
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
        .withContainers(container(pull))
        .build();
  }

  private static Container container(PullJob pull) {
    ContainerBuilder container = new ContainerBuilder();
    pull.program().run(container);
    return container
        .withName(Names.PULL)
        .withImage(pull.image())
        .withImagePullPolicy(pull.always() ? "Always" : "IfNotPresent")
        .withNewResources()
        .withRequests(Map.of("cpu", new Quantity("10m"), "memory", new Quantity("32Mi")))
        .withLimits(Map.of("cpu", new Quantity("500m"), "memory", new Quantity("256Mi")))
        .endResources()
        .withSecurityContext(SecurityContexts.readOnlyRoot())
        .build();
  }
}
