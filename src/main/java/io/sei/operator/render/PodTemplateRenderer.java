package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.config.OperatorConfig;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Renders a node's pod template. */
final class PodTemplateRenderer {

  // seid closes its databases on SIGTERM. Killed in the middle of a commit, it leaves them corrupt,
  // and the 30 s that Kubernetes grants by default are known not to be enough.

  private final OperatorConfig config;
  private final List<? extends PodPart> features;
  private final Optional<String> exporterImage;

  private PodTemplateRenderer(
      OperatorConfig config, List<? extends PodPart> features, Optional<String> exporterImage) {
    this.config = config;
    this.features = features;
    this.exporterImage = exporterImage;
  }

  /**
   * A renderer of the pods of StatefulSets.
   *
   * @param features what else the pod has
   */
  static PodTemplateRenderer ofNodes(OperatorConfig config, List<? extends PodPart> features) {
    return new PodTemplateRenderer(config, features, config.pod().cosmosExporterImage());
  }

  /** A renderer of pods that are not scraped, as those of Jobs. */
  static PodTemplateRenderer withoutExporter(
      OperatorConfig config, List<? extends PodPart> features) {
    return new PodTemplateRenderer(config, features, Optional.empty());
  }

  PodTemplateSpec render(SeiNode node) {
    PodTemplateSpec template = withoutBodyHash(node);
    template.getMetadata().getAnnotations().put(Annotations.BODY_HASH, BodyHash.of(template, node));
    return template;
  }

  private PodTemplateSpec withoutBodyHash(SeiNode node) {
    var parts = new PodParts();
    features.forEach(part -> part.pod(node, parts));
    return new PodTemplateSpecBuilder()
        .withNewMetadata()
        .withLabels(Labels.of(node))
        .addToLabels(parts.labels())
        .addToAnnotations(Annotations.DO_NOT_DISRUPT, "true")
        .addToAnnotations(Annotations.SPEC_HASH, SpecHash.of(node))
        .addToAnnotations(Annotations.DEFAULT_CONTAINER, Names.SEID)
        .addToAnnotations(Annotations.withoutCloudTokens(strangers(node)))
        .addToAnnotations(parts.annotations())
        .endMetadata()
        .withSpec(podSpec(node, parts))
        .build();
  }

  private PodSpec podSpec(SeiNode node, PodParts parts) {
    var spec = node.getSpec();
    return new Placement(node, config)
        .complete(new PodSpecBuilder())
        .withInitContainers(initContainers(node, parts))
        .withContainers(containers(node, parts))
        .withVolumes(Volumes.of(node))
        .addAllToVolumes(parts.mountedVolumes())
        .addAllToVolumes(exporterOf(node).map(any -> Volumes.ofExporter()).stream().toList())
        .addAllToVolumes(parts.volumes())
        .withReadinessGates(parts.gates())
        // The proxy alone has the token, from a volume of its own.
        .withAutomountServiceAccountToken(false)
        // A Service named sei-home would be the variable SEI_HOME_PORT: names are no settings.
        .withEnableServiceLinks(false)
        // The sidecar signals seid.
        .withShareProcessNamespace(true)
        .withSecurityContext(SecurityContexts.ofPod())
        .withTerminationGracePeriodSeconds(spec.gracePeriod().toSeconds())
        .build();
  }

  private List<Container> initContainers(SeiNode node, PodParts parts) {
    var spec = node.getSpec();
    Stream<Container> first =
        Stream.of(
                parts.first().stream(),
                Stream.of(SeidContainer.renderInit(spec)),
                parts.atHome().stream())
            .flatMap(other -> other)
            .map(
                container ->
                    new ContainerBuilder(container).withResources(ContainerResources.INIT).build());
    Stream<Container> beside =
        Stream.of(
            // The proxy first: the sidecar is asked through it.
            nativeSidecar(ProxyContainer.render(node, config)),
            nativeSidecar(SidecarContainer.render(spec, config, parts)));
    return Stream.concat(first, beside).map(PodTemplateRenderer::complete).toList();
  }

  /** seid comes first, for tools that take the first container when none is named. */
  private List<Container> containers(SeiNode node, PodParts parts) {
    Stream<Container> exporter =
        exporterOf(node).map(image -> ExporterContainer.render(image, config)).stream();
    return Stream.of(
            Stream.of(SeidContainer.render(node, config, parts)), exporter, parts.beside().stream())
        .flatMap(other -> other)
        .map(PodTemplateRenderer::complete)
        .toList();
  }

  private Optional<String> exporterOf(SeiNode node) {
    return exporterImage.filter(any -> NodeMode.of(node.getSpec()).servesRpc());
  }

  /** Containers that need nothing of a cloud: they are not trusted with its tokens. */
  private List<String> strangers(SeiNode node) {
    return Stream.concat(
            Stream.of(Names.PROXY), exporterOf(node).map(any -> Names.EXPORTER).stream())
        .toList();
  }

  /** Adds the fields that every container has. */
  private static Container complete(Container container) {
    return new ContainerBuilder(container)
        .withImagePullPolicy(PullPolicy.of(container.getImage()))
        // The last words of a container are in its log; without this a status cannot quote them.
        .withTerminationMessagePolicy("FallbackToLogsOnError")
        .build();
  }

  private static Container nativeSidecar(Container container) {
    return new ContainerBuilder(container).withRestartPolicy("Always").build();
  }
}
