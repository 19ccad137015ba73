package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.config.OperatorConfig;
import java.util.List;

/**
 * The Job of a {@link Bootstrap}. Its pod is the node's pod without keys, exporter and probes, and
 * is reached under the same name.
 */
public final class BootstrapJobRenderer {

  private final PodTemplateRenderer podTemplate;

  /**
   * A renderer that fills in what the configuration says.
   *
   * @param features what else the pod has
   */
  public BootstrapJobRenderer(OperatorConfig config, List<? extends PodPart> features) {
    this.podTemplate = PodTemplateRenderer.withoutExporter(config, features);
  }

  /**
   * The Job to create for a node that has a {@link Bootstrap}. It says nothing of {@code
   * ttlSecondsAfterFinished}: that the run has ended must still be seen by an operator that was
   * away for longer.
   *
   * @param run names this run: the Job and its pod carry it in {@link Annotations#BOOTSTRAP_RUN}
   */
  public Job render(SeiNode node, String run) {
    var bootstrap = Bootstrap.of(node.getSpec()).orElseThrow();
    var labels = Labels.ofBootstrap(node.getMetadata().getName());
    return new JobBuilder()
        .withNewMetadata()
        .withName(Names.bootstrapJob(node))
        .withNamespace(node.getMetadata().getNamespace())
        .withLabels(labels)
        .addToAnnotations(Annotations.BOOTSTRAP_RUN, run)
        .withOwnerReferences(Metadata.controller(node))
        .endMetadata()
        .withNewSpec()
        // Trying again is decided by the node's plan, which first sees the old pod gone.
        .withBackoffLimit(0)
        .withTemplate(
            new PodTemplateSpecBuilder(template(node, bootstrap))
                .withNewMetadata()
                .withLabels(labels)
                .addToAnnotations(Annotations.DO_NOT_DISRUPT, "true")
                .addToAnnotations(Annotations.BOOTSTRAP_RUN, run)
                .addToAnnotations(Annotations.DEFAULT_CONTAINER, Names.SEID)
                .addToAnnotations(Annotations.withoutCloudTokens(List.of(Names.PROXY)))
                .endMetadata()
                .build())
        .endSpec()
        .build();
  }

  private PodTemplateSpec template(SeiNode node, Bootstrap bootstrap) {
    var spec = bootstrap.specOf(node.getSpec());
    var bare = new SeiNode();
    bare.setMetadata(node.getMetadata());
    bare.setSpec(spec);
    bare.setStatus(node.getStatus());
    var template = podTemplate.render(bare);
    var containers =
        template.getSpec().getContainers().stream()
            .map(
                container ->
                    container.getName().equals(Names.SEID)
                        ? SeidContainer.halting(container, spec, bootstrap.targetHeight())
                        : container)
            .toList();
    return new PodTemplateSpecBuilder(template)
        .editSpec()
        .withInitContainers(unprobed(template.getSpec().getInitContainers()))
        .withContainers(unprobed(containers))
        .withRestartPolicy("Never")
        // The name of the node's pod: its sidecar has the same address.
        .withHostname(Names.pod(node))
        .withSubdomain(Names.service(node))
        .endSpec()
        .build();
  }

  /** Removes the probes: a failed one would end a container that this pod does not restart. */
  private static List<Container> unprobed(List<Container> containers) {
    return containers.stream()
        .map(
            container ->
                new ContainerBuilder(container)
                    .withStartupProbe(null)
                    .withReadinessProbe(null)
                    .withLivenessProbe(null)
                    .build())
        .toList();
  }
}
