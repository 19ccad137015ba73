package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.NodeTaskOutputs;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.NodeTaskTransaction;
import java.util.Optional;

/** Outcome of a task so far, by its sidecar or its node. */
sealed interface NodeTaskOutcome {

  /** The sidecar has lost a task that has no effect until it ends; the task is submitted again. */
  record Again() implements NodeTaskOutcome {}

  /** Outcome of a task that is submitted at most once. */
  sealed interface Once extends NodeTaskOutcome {}

  /**
   * The task is being carried out.
   *
   * @param message what is waited for
   */
  record Running(String message) implements Once {}

  /**
   * The task has ended and is not retried.
   *
   * @param tx empty if it is not known to have sent a transaction
   * @param outputs of a task that its node carried out; null for none
   */
  record Ended(
      boolean well,
      NodeTaskReason reason,
      String message,
      Optional<NodeTaskTransaction> tx,
      NodeTaskOutputs outputs)
      implements Once {

    /** The end of a task that its sidecar carried out. */
    Ended(boolean well, NodeTaskReason reason, String message, Optional<NodeTaskTransaction> tx) {
      this(well, reason, message, tx, null);
    }

    /** The end of a task that failed without a transaction. */
    Ended(NodeTaskReason reason, String message) {
      this(false, reason, message, Optional.empty());
    }

    /** The end of a task that its node carried out. */
    Ended(String message, NodeTaskOutputs outputs) {
      this(true, NodeTaskReason.TASK_COMPLETE, message, Optional.empty(), outputs);
    }
  }
}
