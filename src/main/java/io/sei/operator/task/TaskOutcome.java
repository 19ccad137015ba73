package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.NodeTaskTransaction;
import java.util.Optional;

/** What the sidecar's answer means for a task. */
sealed interface TaskOutcome {

  /** It goes on. */
  record Running() implements TaskOutcome {}

  /** The sidecar has lost a task that has no effect until it ends: it may be given it again. */
  record Again() implements TaskOutcome {}

  /** It is over, for good. */
  record Ended(
      boolean well, NodeTaskReason reason, String message, Optional<NodeTaskTransaction> tx)
      implements TaskOutcome {}
}
