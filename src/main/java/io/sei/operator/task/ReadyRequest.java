package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import java.util.Optional;

/**
 * PURE: waits until the node's sidecar lets seid start. The node's own plans request that once
 * everything before it is done; a task that requested it would be early.
 */
record ReadyRequest() implements NodeWork {

  @Override
  public Optional<NodeTaskOutcome.Ended> refusal(Target target) {
    return SeidGuard.refusal(target);
  }

  @Override
  public Optional<String> patch(Target target, String id) {
    return Optional.empty();
  }

  @Override
  public NodeTaskOutcome.Once progress(Target target, String id) {
    Optional<NodeTaskOutcome.Ended> refusal = SeidGuard.refusal(target);
    if (refusal.isPresent()) {
      return new NodeTaskOutcome.Ended(NodeTaskReason.TASK_FAILED, refusal.get().message());
    }
    Optional<Condition> ready = target.condition(NodeConditionType.SIDECAR_READY);
    return ready.filter(Condition::isTrue).isPresent()
        ? new NodeTaskOutcome.Ended(
            "the sidecar of SeiNode %s lets seid run".formatted(target.name()), null)
        : new NodeTaskOutcome.Running(
            "the sidecar of SeiNode %s does not let seid run yet: %s"
                .formatted(
                    target.name(), ready.map(Condition::message).orElse("nothing is known")));
  }
}
