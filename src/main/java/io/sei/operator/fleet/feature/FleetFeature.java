package io.sei.operator.fleet.feature;

import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.reconcile.ApiRejections;
import io.sei.operator.reconcile.Next;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A feature of fleets, which implements the hooks that it needs. Features are called in the order
 * of one list ({@code FleetAssembly}), and none imports another.
 */
public interface FleetFeature {

  /** Creates what must exist before the first node. */
  default Next prepare(FleetPass pass) {
    return Next.goOn();
  }

  /** Changes the template of the node with an ordinal. */
  default BiFunction<NodeTemplate, Integer, NodeTemplate> child(FleetPass pass) {
    return (template, ordinal) -> template;
  }

  /** Takes the next step of this feature's operations, after those of the nodes. */
  default Next operations(FleetPass pass) {
    return Next.goOn();
  }

  /** Applies owned objects, also after a failed step. */
  default void keep(FleetPass pass) {}

  /** Adds what sets conditions, also after a failure, with Events and gauges. */
  default void conditions(FleetConditionParts conditions) {}

  /**
   * Stops the work of a deleted fleet, and removes the owner reference from objects that outlive
   * it.
   *
   * @param nodes with the label of the fleet, of any owner
   * @param rejections writes that may be rejected without keeping the finalizer
   */
  default void release(
      SeiNodeDeployment deployment, List<SeiNode> nodes, ApiRejections rejections) {}

  /** Collects the conditions of features. */
  static FleetConditionParts conditionsOf(List<FleetFeature> features) {
    var conditions = new FleetConditionParts();
    features.forEach(feature -> feature.conditions(conditions));
    return conditions;
  }
}
