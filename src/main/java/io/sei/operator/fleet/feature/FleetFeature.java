package io.sei.operator.fleet.feature;

import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.reconcile.ApiRejections;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.reconcile.Next;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A feature of fleets. It implements the hooks that it needs; the features are called in the order
 * of one list ({@code FleetAssembly}), and no feature imports another.
 */
public interface FleetFeature {

  /** Changes the template for the node with an ordinal. */
  default BiFunction<NodeTemplate, Integer, NodeTemplate> given(FleetPass pass) {
    return (template, ordinal) -> template;
  }

  /** Creates what must exist before the first node. */
  default Next prepare(FleetPass pass) {
    return Next.goOn();
  }

  /** Takes the next step of this feature's operations, after those of the nodes. */
  default Next advance(FleetPass pass) {
    return Next.goOn();
  }

  /** Applies owned objects, also after a failed step. */
  default void keep(FleetPass pass) {}

  /**
   * Stops what a deleted fleet has begun, and takes the owner off what outlives it.
   *
   * @param nodes with the label of the fleet, whoever owns them
   * @param rejections writes that may be rejected without keeping the finalizer
   */
  default void release(
      SeiNodeDeployment deployment, List<SeiNode> nodes, ApiRejections rejections) {}

  /** Sets this feature's part of the status, also after a failure. */
  default void report(FleetPass pass, FleetReport report) {}

  /** Events for changes of the status. */
  default List<EventRule<SeiNodeDeploymentStatus>> events() {
    return List.of();
  }

  /** Gauges of this feature, one row for each fleet. */
  default List<GaugeRow<SeiNodeDeployment>> gauges() {
    return List.of();
  }
}
