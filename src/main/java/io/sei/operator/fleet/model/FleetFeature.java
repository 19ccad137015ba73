package io.sei.operator.fleet.model;

import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.reconcile.Next;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A feature of deployments, which implements what it needs. Features stand in one list, in whose
 * order each is asked; none knows another.
 */
public interface FleetFeature extends ViewPart {

  @Override
  default FleetNode seen(FleetNode view, SeiNode node, SeiNodeDeploymentStatus deployment) {
    return view;
  }

  /** What it makes of the template of the node with an ordinal. */
  default BiFunction<NodeTemplate, Integer, NodeTemplate> given(FleetSnapshot snapshot) {
    return (template, ordinal) -> template;
  }

  /** Brings about what has to be there before any node is made. */
  default Next prepare(FleetReconcile pass) {
    return Next.goOn();
  }

  /** Takes its next step, once the nodes had theirs. */
  default Next settle(FleetReconcile pass) {
    return Next.goOn();
  }

  /** Keeps in sync what depends on no step, whatever became of them. */
  default void keep(FleetReconcile pass) {}

  /** Lets go of nodes that may outlive their deployment. */
  default void leave(SeiNodeDeployment deployment, List<SeiNode> nodes) {}

  /** Takes the deployment off the owners of what outlives it. */
  default void release(SeiNodeDeployment deployment) {}

  /** Reports its part of the status, whatever failed. */
  default void report(FleetReconcile pass, FleetReport report) {}

  /** The Events of a change. */
  default List<EventRule<SeiNodeDeploymentStatus>> events() {
    return List.of();
  }

  /** What is measured of it in each deployment. */
  default List<GaugeRow<SeiNodeDeployment>> gauges() {
    return List.of();
  }
}
