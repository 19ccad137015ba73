package io.sei.operator.fleet.model;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;

/** PURE: what a feature knows of a node beside what the node's own status says. */
public interface ViewPart {

  /**
   * The view of a node with what the feature knows of it.
   *
   * @param deployment the status of the node's deployment
   */
  FleetNode seen(FleetNode view, SeiNode node, SeiNodeDeploymentStatus deployment);
}
