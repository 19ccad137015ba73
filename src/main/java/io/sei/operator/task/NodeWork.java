package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.NodeTaskOutputs;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import java.util.Optional;

/**
 * PURE: what a task asks of its node, and not of the sidecar. The node is given it once; what comes
 * of that is the node's own plan, with all that a plan has to respect.
 */
interface NodeWork {

  /**
   * Why the node is not given it, now or later.
   *
   * @param reason of the condition Failed
   */
  record Refusal(NodeTaskReason reason, String message) {}

  /** Why the node is not given it; empty if it may be. */
  Optional<Refusal> refusal(Target target);

  /** What has to change before the node is given it; empty if nothing has, or it was given it. */
  default Optional<String> obstacle(Target target, String id) {
    return Optional.empty();
  }

  /** A type of task that the node's sidecar must know for it; empty if there is none. */
  default Optional<String> needs() {
    return Optional.empty();
  }

  /**
   * The patch of the SeiNode that it comes to; empty if nothing is changed.
   *
   * @param id of the task, the same each time
   */
  Optional<String> patch(Target target, String id);

  /** How far it is at a node that was given it. */
  Progress progress(Target target, String id);

  /** How far it is. */
  sealed interface Progress {

    /** The node is waited for. */
    record Pending(String why) implements Progress {}

    /** It is done; null for a kind without outputs. */
    record Done(String message, NodeTaskOutputs outputs) implements Progress {}

    /** It will not be done any more. */
    record Failed(String why) implements Progress {}
  }
}
