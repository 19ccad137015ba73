package io.sei.operator.fleet.feature;

import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import java.util.List;

/** Decision about a deployment's rollout. */
public sealed interface RolloutDecision {

  /**
   * The record of the rollout changes; it is persisted before a node is touched.
   *
   * @param admitted nodes that it admits now
   */
  record Persist(SeiNodeDeploymentStatus status, List<FleetNode> admitted)
      implements RolloutDecision {

    /** The record changes, and admits no further node. */
    public Persist(SeiNodeDeploymentStatus status) {
      this(status, List.of());
    }
  }

  /**
   * The rollout continues.
   *
   * @param plan its plan as the verdict leaves it
   * @param status the record of it, without a plan that is complete
   */
  record Continue(RolloutVerdict verdict, TaskPlan plan, SeiNodeDeploymentStatus status)
      implements RolloutDecision {}

  /** The deployment is no longer paused: what pausing did to nodes is undone before all else. */
  record Resume() implements RolloutDecision {}

  /** There is no rollout. */
  record Rest() implements RolloutDecision {}
}
