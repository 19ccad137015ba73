package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.NodeTemplate.TemplateMetadata;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/** Renders the nodes of a deployment: what its template owns of them, and nothing else. */
public final class ChildRenderer {

  /** Name of the node with an ordinal. */
  public static String name(SeiNodeDeployment deployment, int ordinal) {
    return deployment.getMetadata().getName() + "-" + ordinal;
  }

  /** The ordinal of the deployment's node with a name; empty if none of its nodes is called so. */
  public static OptionalInt ordinal(SeiNodeDeployment deployment, String name) {
    String prefix = deployment.getMetadata().getName() + "-";
    String number = name.startsWith(prefix) ? name.substring(prefix.length()) : "";
    return number.matches("0|[1-9][0-9]{0,4}")
        ? OptionalInt.of(Integer.parseInt(number))
        : OptionalInt.empty();
  }

  /**
   * The template in force: the spec's, with the restart a user asked for on the deployment itself.
   */
  public static NodeTemplate template(SeiNodeDeployment deployment) {
    NodeTemplate template = deployment.getSpec().template();
    return Annotations.restartRequestedAt(deployment)
        .map(restart -> restarted(template, restart))
        .orElse(template);
  }

  /** The restart that a template asks for. */
  public static Optional<String> restart(NodeTemplate template) {
    return Optional.ofNullable(annotations(template).get(Annotations.RESTART_REQUESTED_AT))
        .filter(value -> !value.isBlank());
  }

  /** A template with another restart; null for none. */
  public static NodeTemplate restarted(NodeTemplate template, String restart) {
    SortedMap<String, String> annotations = annotations(template);
    annotations.remove(Annotations.RESTART_REQUESTED_AT);
    if (restart != null) {
      annotations.put(Annotations.RESTART_REQUESTED_AT, restart);
    }
    return template.withMetadata(new TemplateMetadata(labels(template), annotations));
  }

  /** The hash of a template as this deployment's nodes have it. */
  public static String hash(SeiNodeDeployment deployment, NodeTemplate template) {
    return TemplateHash.of(unmarked(deployment, 0, template));
  }

  /** The template that a node which is there may have been made from, without its own fields. */
  public static NodeTemplate templateOf(SeiNode node) {
    SeiNodeSpec spec = node.getSpec();
    SortedMap<String, String> podLabels = sorted(spec.podLabels());
    podLabels.remove(Labels.NODE_DEPLOYMENT);
    podLabels.remove(Labels.REVISION);
    podLabels.keySet().removeAll(Labels.SYSTEM);
    SortedMap<String, String> annotations = new TreeMap<>();
    Annotations.restartRequestedAt(node)
        .ifPresent(value -> annotations.put(Annotations.RESTART_REQUESTED_AT, value));
    return SpecFields.versioned(
        new NodeTemplate(
            new TemplateMetadata(Map.of(), annotations),
            spec.withPodLabels(podLabels.isEmpty() ? null : podLabels)));
  }

  /**
   * Renders a child that may exist already. A restart that was asked for on it since it was given
   * the template is its own, whatever the template asks for.
   */
  public SeiNode render(
      SeiNodeDeployment deployment, int ordinal, NodeTemplate template, Optional<SeiNode> present) {
    SeiNode node = render(deployment, ordinal, template);
    String hash = node.getMetadata().getLabels().get(Labels.REVISION);
    present
        .filter(candidate -> restart(template).isPresent())
        .filter(candidate -> Labels.of(candidate, Labels.REVISION).filter(hash::equals).isPresent())
        .flatMap(Annotations::restartRequestedAt)
        .ifPresent(
            own -> node.getMetadata().getAnnotations().put(Annotations.RESTART_REQUESTED_AT, own));
    return node;
  }

  /** The node with an ordinal, made from a template. */
  public SeiNode render(SeiNodeDeployment deployment, int ordinal, NodeTemplate template) {
    SeiNode node = unmarked(deployment, ordinal, template);
    String hash = TemplateHash.of(node);
    node.getMetadata().getLabels().put(Labels.REVISION, hash);
    var podLabels = new TreeMap<>(node.getSpec().podLabels());
    podLabels.put(Labels.REVISION, hash);
    node.setSpec(node.getSpec().withPodLabels(podLabels));
    return node;
  }

  private static SeiNode unmarked(
      SeiNodeDeployment deployment, int ordinal, NodeTemplate template) {
    String fleet = deployment.getMetadata().getName();
    SortedMap<String, String> labels = labels(template);
    labels.put(Labels.NODE_DEPLOYMENT, fleet);
    labels.put(Labels.NODE_DEPLOYMENT_ORDINAL, String.valueOf(ordinal));
    labels.put(Labels.CHAIN, template.spec().chainId());
    labels.put(Labels.ROLE, NodeMode.of(template.spec()).role());
    SortedMap<String, String> podLabels = labels(template);
    podLabels.keySet().removeIf(Labels::isOfOperator);
    podLabels.putAll(sorted(template.spec().podLabels()));
    podLabels.put(Labels.NODE_DEPLOYMENT, fleet);
    boolean paused = Boolean.TRUE.equals(deployment.getSpec().paused());
    var node = new SeiNode();
    node.setMetadata(
        new ObjectMetaBuilder()
            .withName(name(deployment, ordinal))
            .withNamespace(deployment.getMetadata().getNamespace())
            .withLabels(labels)
            .withAnnotations(annotations(template))
            .withOwnerReferences(FleetOwner.references(deployment))
            .build());
    node.setSpec(
        template
            .spec()
            .with(
                builder ->
                    builder
                        .podLabels(podLabels)
                        .paused(paused ? Boolean.TRUE : template.spec().paused())));
    return node;
  }

  private static SortedMap<String, String> labels(NodeTemplate template) {
    return sorted(template.metadata() == null ? null : template.metadata().labels());
  }

  private static SortedMap<String, String> annotations(NodeTemplate template) {
    return sorted(template.metadata() == null ? null : template.metadata().annotations());
  }

  private static SortedMap<String, String> sorted(Map<String, String> entries) {
    return entries == null ? new TreeMap<>() : new TreeMap<>(entries);
  }
}
