package io.sei.operator.fleet.feature;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;

/** PURE: adds to the view of a node what a feature knows beside the node's own status. */
public interface ViewPart {

  /**
   * Returns the view of a node with the feature's facts.
   *
   * @param status the status of the node's deployment
   */
  FleetNode seen(FleetNode view, SeiNode node, SeiNodeDeploymentStatus status);
}
