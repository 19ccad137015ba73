package io.sei.operator.fleet.model;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;

/** What to do about a deployment's rollout. */
public sealed interface RolloutDecision {

  /**
   * Something about the rollout has changed; it is persisted before a node is touched.
   *
   * @param status the status that says so
   */
  record Persist(SeiNodeDeploymentStatus status) implements RolloutDecision {}

  /** Go on with the rollout. */
  record Continue(Rollout rollout, RolloutVerdict verdict) implements RolloutDecision {}

  /** The deployment is no longer held: what holding did to nodes is undone before all else. */
  record Release() implements RolloutDecision {}

  /** There is no rollout to go on with. */
  record Rest() implements RolloutDecision {}
}
