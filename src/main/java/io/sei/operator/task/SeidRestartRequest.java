package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.render.Annotations;
import java.util.Optional;

/**
 * PURE: requests that seid restarts in its pod. The node does that by a plan of its own, and its
 * fleet counts it as down meanwhile.
 */
record SeidRestartRequest() implements NodeWork {

  /** The sidecar's task that the node's plan gives it. */
  private static final String RESTART = "restart-seid";

  @Override
  public Optional<TaskOutcome.Ended> refusal(Target target) {
    return SeidGuard.refusal(target);
  }

  @Override
  public Optional<String> obstacle(Target target, String id) {
    if (Annotations.has(target.node(), Annotations.SEID_RESTART, id)) {
      return Optional.empty();
    }
    return SeidGuard.obstacle(target)
        .or(() -> target.budget().flatMap(budget -> budget.obstacle(target.isReady())));
  }

  @Override
  public Optional<String> needs() {
    return Optional.of(RESTART);
  }

  @Override
  public Optional<String> patch(Target target, String id) {
    return Optional.of(MetadataPatch.annotation(target.node(), Annotations.SEID_RESTART, id));
  }

  /** Another value was set since only if this one had been acted on. */
  @Override
  public TaskOutcome.Once progress(Target target, String id) {
    SeiNodeStatus status = target.status();
    boolean isAsked = Annotations.has(target.node(), Annotations.SEID_RESTART, id);
    boolean isTaken = id.equals(status.seidRestart());
    boolean isUnderWay =
        status.unreadConfig() != null && id.equals(status.unreadConfig().request());
    if (isUnderWay || (isAsked && !isTaken)) {
      return new TaskOutcome.Running(pending(target));
    }
    return isTaken || Annotations.of(target.node(), Annotations.SEID_RESTART).isPresent()
        ? new TaskOutcome.Ended(
            "the run of seid that SeiNode %s had is over".formatted(target.name()), null)
        : new TaskOutcome.Ended(
            NodeTaskReason.TASK_FAILED,
            "the annotation %s of SeiNode %s was removed before it was acted on"
                .formatted(Annotations.SEID_RESTART, target.name()));
  }

  private static String pending(Target target) {
    String stalled =
        target
            .condition(NodeConditionType.STALLED)
            .filter(Condition::isTrue)
            .map(condition -> ": " + condition.message())
            .orElse("");
    return "SeiNode %s has yet to restart seid%s".formatted(target.name(), stalled);
  }
}
