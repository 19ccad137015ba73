package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.config.OperatorConfig;
import java.util.List;

/** A node's StatefulSet: one pod, none while paused, which only the operator replaces. */
public final class StatefulSetRenderer {

  private final PodTemplateRenderer podTemplate;

  /**
   * A renderer that fills in what the configuration says.
   *
   * @param features what else the pod has
   */
  public StatefulSetRenderer(OperatorConfig config, List<? extends PodPart> features) {
    this.podTemplate = PodTemplateRenderer.ofNodes(config, features);
  }

  /**
   * Renders the node's StatefulSet. It says nothing of {@code podManagementPolicy}, which is
   * immutable and would keep the operator from adopting a StatefulSet made with another one.
   */
  public StatefulSet render(SeiNode node) {
    boolean paused = Boolean.TRUE.equals(node.getSpec().paused());
    return new StatefulSetBuilder()
        .withMetadata(Metadata.owned(node, Names.statefulSet(node)))
        .withNewSpec()
        .withReplicas(paused ? 0 : 1)
        .withServiceName(Names.service(node))
        .withNewSelector()
        .withMatchLabels(Labels.selector(node.getMetadata().getName()))
        .endSelector()
        // RollingUpdate waits forever on a node that halted for an upgrade.
        .withNewUpdateStrategy()
        .withType("OnDelete")
        .endUpdateStrategy()
        .withTemplate(podTemplate.render(node))
        .endSpec()
        .build();
  }
}
