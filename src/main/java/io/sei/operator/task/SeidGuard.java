package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.render.Annotations;
import java.util.Optional;

/** PURE: decides whether a task may have seid end or start. */
final class SeidGuard {

  private SeidGuard() {}

  /** The end of a task at a node whose seid the user keeps from starting; empty elsewhere. */
  static Optional<NodeTaskOutcome.Ended> refusal(Target target) {
    return keptFromStarting(target)
        .map(
            why ->
                new NodeTaskOutcome.Ended(
                    NodeTaskReason.TASK_TERMINAL_ERROR,
                    why.formatted(target.name()) + "; create another task then"));
  }

  /** Reason for ending seid later; empty if a task may end it now. */
  static Optional<String> obstacle(Target target) {
    Optional<String> risk = dataAtRisk(target);
    if (risk.isPresent()) {
      return risk;
    }
    if (Annotations.awaitsRestartOfSeid(target.node())) {
      return Optional.of("SeiNode %s is to restart seid already".formatted(target.name()));
    }
    return Optional.ofNullable(target.status().plan())
        .filter(TaskPlan::isActive)
        .map(plan -> "a plan of SeiNode %s is under way: %s".formatted(target.name(), plan.kind()));
  }

  /** Evidence that the data is lost once seid ends; empty if there is none. */
  static Optional<String> dataAtRisk(Target target) {
    return target
        .condition(NodeConditionType.DATA_VOLUME_AT_RISK)
        .filter(Condition::isTrue)
        .map(
            risk ->
                "the data of SeiNode %s is at risk: %s".formatted(target.name(), risk.message()));
  }

  private static Optional<String> keptFromStarting(Target target) {
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
