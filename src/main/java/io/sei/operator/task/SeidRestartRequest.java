package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.render.Annotations;
import java.util.Optional;

/**
 * PURE: requests that seid restarts in its pod. The node does that by a plan of its own. A fleet
 * grants the request within its budget, and counts the node as in flight from then on.
 */
record SeidRestartRequest() implements NodeWork {

  /** The type of the task that the node's plan submits to the sidecar. */
  private static final String RESTART = "restart-seid";

  @Override
  public Optional<NodeTaskOutcome.Ended> refusal(Target target) {
    return SeidGuard.refusal(target);
  }

  @Override
  public Optional<String> obstacle(Target target, String id) {
    if (isGranted(target, id)) {
      return Optional.empty();
    }
    Optional<String> obstacle = SeidGuard.obstacle(target);
    Optional<String> request = Annotations.of(target.node(), Annotations.SEID_RESTART_REQUESTED);
    if (obstacle.isPresent() || request.isEmpty() || target.fleet().isEmpty()) {
      return obstacle;
    }
    return request.get().equals(id)
        ? target.fleet()
        : Optional.of(
            "another task requests a restart of SeiNode %s already".formatted(target.name()));
  }

  @Override
  public boolean isGranted(Target target, String id) {
    return Annotations.has(target.node(), Annotations.SEID_RESTART, id);
  }

  @Override
  public Optional<String> needs() {
    return Optional.of(RESTART);
  }

  @Override
  public Optional<String> request(Target target, String id) {
    return target.fleet().isEmpty()
        ? Optional.empty()
        : Optional.of(
            MetadataPatch.annotation(target.node(), Annotations.SEID_RESTART_REQUESTED, id));
  }

  @Override
  public Optional<String> patch(Target target, String id) {
    return isGranted(target, id)
        ? Optional.empty()
        : Optional.of(MetadataPatch.annotations(target.node(), Annotations.restartOfSeid(id)));
  }

  /** Another value was set only after the node acted on this one. */
  @Override
  public NodeTaskOutcome.Once progress(Target target, String id) {
    SeiNodeStatus status = target.status();
    boolean isTaken = id.equals(status.seidRestart());
    boolean isUnderWay =
        status.unreadConfig() != null && id.equals(status.unreadConfig().request());
    if (isUnderWay || (isGranted(target, id) && !isTaken)) {
      return new NodeTaskOutcome.Running(pending(target));
    }
    return isTaken || Annotations.of(target.node(), Annotations.SEID_RESTART).isPresent()
        ? new NodeTaskOutcome.Ended(
            "the run of seid that SeiNode %s had is over".formatted(target.name()), null)
        : new NodeTaskOutcome.Ended(
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
