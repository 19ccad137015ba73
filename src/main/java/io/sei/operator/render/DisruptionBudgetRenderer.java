package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * PodDisruptionBudgets: that of a fleet, by which a drain takes no more nodes down than a rollout
 * may, and that of one node whose pod is not to be evicted at all. No pod has both.
 */
public final class DisruptionBudgetRenderer {

  private static final IntOrString ONE = new IntOrString(1);

  /**
   * Eviction policy for pods that are not Ready: a node halted at an upgrade does not block a
   * drain.
   */
  private static final String UNHEALTHY_MAY_GO = "AlwaysAllow";

  /** The budget of a node alone, which allows no eviction, whether the pod is Ready or not. */
  public PodDisruptionBudget renderKeeping(SeiNode node) {
    Map<String, String> pod = Labels.selector(node.getMetadata().getName());
    return new PodDisruptionBudgetBuilder()
        .withNewMetadata()
        .withName(Names.disruptionBudget(node))
        .withNamespace(node.getMetadata().getNamespace())
        .withLabels(pod)
        .withOwnerReferences(Metadata.controller(node))
        .endMetadata()
        .withNewSpec()
        .withNewSelector()
        .withMatchLabels(pod)
        .endSelector()
        .withMinAvailable(ONE)
        .endSpec()
        .build();
  }

  /**
   * Renders the fleet's PodDisruptionBudget.
   *
   * @param kept names of nodes that have a budget of their own
   */
  public PodDisruptionBudget render(SeiNodeDeployment fleet, List<String> kept) {
    SeiNodeDeploymentSpec spec = fleet.getSpec();
    Map<String, String> members = Map.of(Labels.NODE_DEPLOYMENT, fleet.getMetadata().getName());
    return new PodDisruptionBudgetBuilder()
        .withNewMetadata()
        .withName(Names.disruptionBudget(fleet))
        .withNamespace(fleet.getMetadata().getNamespace())
        .withLabels(members)
        .withOwnerReferences(FleetOwner.references(fleet))
        .endMetadata()
        .withNewSpec()
        .withNewSelector()
        .withMatchLabels(members)
        .withMatchExpressions(without(kept))
        .endSelector()
        .withMaxUnavailable(maxUnavailable(spec))
        .withUnhealthyPodEvictionPolicy(signs(spec) ? null : UNHEALTHY_MAY_GO)
        .endSpec()
        .build();
  }

  private static List<LabelSelectorRequirement> without(List<String> kept) {
    return kept.isEmpty()
        ? List.of()
        : List.of(new LabelSelectorRequirement(Labels.NODE, "NotIn", kept));
  }

  private static IntOrString maxUnavailable(SeiNodeDeploymentSpec spec) {
    return Optional.ofNullable(spec.updateStrategy())
        .map(UpdateStrategy::inPlace)
        .map(UpdateStrategy.InPlace::maxUnavailable)
        .orElse(ONE);
  }

  /**
   * Returns whether nodes of the fleet may sign: a validator that is not Ready may be about to. Its
   * key need not be in the template: a genesis or a user may give each node its own.
   */
  private static boolean signs(SeiNodeDeploymentSpec spec) {
    return spec.template().spec().validator() != null;
  }
}
