package io.sei.operator.node;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.node.PredecessorWrites.Write;

/** The status of a node that a Go operator writes to as well, and that is left alone for that. */
final class Contested {

  private static final String RUNS = "a Go operator still runs";

  private Contested() {}

  static SeiNodeStatus status(NodeSnapshot snapshot, Write write) {
    var work = new NodeWork(snapshot);
    String message = message(write);
    work.conflict(message);
    NodeConditions.deriveContested(work);
    work.condition(
        NodeConditionType.STALLED,
        ConditionStatus.TRUE,
        StallReason.STATEFUL_SET_CONFLICT,
        message);
    work.update(status -> status.withExplain(RestartExplanation.of(work)));
    return work.status();
  }

  /** Whether a status says so already. */
  static boolean isSaid(SeiNodeStatus status) {
    return Conditions.find(status.conditions(), NodeConditionType.STATEFUL_SET_READY.toString())
        .filter(condition -> condition.message().startsWith(RUNS))
        .isPresent();
  }

  static String message(Write write) {
    return (RUNS
            + ": its field manager \"%s\" has written %s."
            + " This operator leaves the node alone until that one stops:"
            + " scale the Deployment of the Go operator to 0")
        .formatted(write.fieldManager(), write.object());
  }
}
