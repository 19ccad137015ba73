package io.sei.operator.node.status;

import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.takeover.PredecessorWrites.Write;

/** The status of a node that a Go operator writes to as well, and that is left alone for that. */
public final class Contested {

  private Contested() {}

  /** Says so. */
  public static void derive(NodeReconcile reconcile, Write write) {
    String message = message(write);
    reconcile.conflict(message);
    NodeConditions.deriveContested(reconcile, message);
    reconcile.update(status -> status.withExplain(RestartExplanation.of(reconcile)));
  }

  /** Whether a status says so already. */
  public static boolean isSaid(SeiNodeStatus status) {
    return Conditions.find(status.conditions(), NodeConditionType.STATEFUL_SET_READY)
        .filter(ready -> ready.isFor(NodeReason.GO_OPERATOR_RUNS))
        .isPresent();
  }

  public static String message(Write write) {
    return ("a Go operator still runs: its field manager \"%s\" wrote %s."
            + " This operator does not manage the node until the Go operator stops:"
            + " scale its Deployment to 0")
        .formatted(write.fieldManager(), write.object());
  }
}
