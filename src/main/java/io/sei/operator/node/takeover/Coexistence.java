package io.sei.operator.node.takeover;

import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.status.NodeConditions;
import io.sei.operator.node.status.RestartExplanation;
import io.sei.operator.reconcile.Next;
import io.sei.operator.takeover.PredecessorWatch;
import io.sei.operator.takeover.PredecessorWrites.Write;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leaves a node alone that a Go operator writes to as well. */
public record Coexistence(PredecessorWatch predecessor, NodeCaches caches) {

  private static final Logger log = LoggerFactory.getLogger(Coexistence.class);

  /** Goes on unless a Go operator writes to the node; else says so, and keeps its hands off. */
  public Next begin(NodeReconcile reconcile) {
    Optional<String> message = contest(reconcile.node()).map(Coexistence::message);
    if (message.isEmpty()) {
      return Next.goOn();
    }
    if (!isSaid(reconcile.status())) {
      log.warn("Not managing this node: {}", message.get());
    }
    reconcile.conflict(message.get());
    NodeConditions.deriveConflict(reconcile, NodeReason.GO_OPERATOR_RUNS, message.get());
    reconcile.update(status -> status.withExplain(RestartExplanation.of(reconcile)));
    return new Next.HandsOff(PredecessorWatch.SILENCE);
  }

  private Optional<Write> contest(SeiNode node) {
    return caches
        .node(node)
        .flatMap(cached -> predecessor.contest(cached, caches.statefulSet(node)));
  }

  /** Whether a status says so already. */
  public static boolean isSaid(SeiNodeStatus status) {
    return Conditions.find(status.conditions(), NodeConditionType.STATEFUL_SET_READY)
        .filter(ready -> ready.isFor(NodeReason.GO_OPERATOR_RUNS))
        .isPresent();
  }

  private static String message(Write write) {
    return ("a Go operator still runs: its field manager \"%s\" wrote %s."
            + " This operator does not manage the node until the Go operator stops:"
            + " scale its Deployment to 0")
        .formatted(write.fieldManager(), write.object());
  }
}
