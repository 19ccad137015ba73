package io.sei.operator.task;

import java.util.Optional;

/**
 * PURE: the part of a task that its node carries out by a plan of its own, with all that a plan
 * respects. The task changes the SeiNode once, and then waits.
 */
interface NodeWork {

  /** The end of a task that this node must not be changed for; empty if it may be. */
  Optional<NodeTaskOutcome.Ended> refusal(Target target);

  /** Reason for changing the node later; empty if it may be changed now, or was. */
  default Optional<String> obstacle(Target target, String id) {
    return Optional.empty();
  }

  /** The type of task that the node's sidecar must know for this work; empty if there is none. */
  default Optional<String> needs() {
    return Optional.empty();
  }

  /** Returns whether the node was changed for the task already, by its fleet or by the task. */
  default boolean isGranted(Target target, String id) {
    return false;
  }

  /**
   * The patch of the SeiNode by which its fleet is asked to change it; empty if the task changes
   * the SeiNode itself.
   */
  default Optional<String> request(Target target, String id) {
    return Optional.empty();
  }

  /**
   * The patch of the SeiNode; empty if nothing is changed.
   *
   * @param id of the task, the same each time
   */
  Optional<String> patch(Target target, String id);

  /** Outcome of a task whose node was changed. */
  NodeTaskOutcome.Once progress(Target target, String id);
}
