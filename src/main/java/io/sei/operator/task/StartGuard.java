package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import java.util.Optional;

/** PURE: what keeps seid from being started until a person says otherwise. */
final class StartGuard {

  private StartGuard() {}

  /** Why no task may have seid start; empty if one may. */
  static Optional<NodeWork.Refusal> refusal(Target target) {
    return why(target)
        .map(
            why ->
                new NodeWork.Refusal(
                    NodeTaskReason.TASK_TERMINAL_ERROR,
                    why.formatted(target.name()) + "; create another task then"));
  }

  private static Optional<String> why(Target target) {
    SeiNodeSpec spec = target.node().getSpec();
    SeiNodeStatus status = target.status();
    if (status.signingElsewhere() != null) {
      return Optional.of(
          "something else signs with the key of SeiNode %s; once nothing does, set the annotation"
              + " sei.io/retry");
    }
    if (spec.holding().isPresent()) {
      return Optional.of("SeiNode %s is held; take spec.maintenance.hold out");
    }
    boolean isToBeReset =
        status.awaitsNewData()
            || (spec.dataResetGeneration() != null
                && spec.dataResetGeneration() > status.resetGeneration());
    return isToBeReset
        ? Optional.of("the data of SeiNode %s is to be wiped; wait until the node runs")
        : Optional.empty();
  }
}
