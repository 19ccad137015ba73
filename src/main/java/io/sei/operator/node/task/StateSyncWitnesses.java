package io.sei.operator.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.progression.SidecarTaskTypes;
import io.sei.operator.progression.Witnesses;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Holds state sync back until there are enough nodes to ask. Who they are is found out for each
 * attempt, since a node that was there may be gone.
 */
public final class StateSyncWitnesses {

  private static final Duration RECHECK = Duration.ofSeconds(5);

  /** The request, with the witnesses that are known now. */
  private StateSyncWitnesses() {}

  public static Step request(JsonNode params, NodeReconcile reconcile) {
    ObjectNode all =
        params == null ? JsonNodeFactory.instance.objectNode() : (ObjectNode) params.deepCopy();
    if (Witnesses.areKnown(reconcile.node().getSpec())) {
      witnesses(reconcile).forEach(all.putArray("rpcServers")::add);
    }
    return new Step(SidecarTaskTypes.CONFIGURE_STATE_SYNC, all);
  }

  /** Whether the sidecar may be asked. */
  public static Optional<TaskOutcome> check(PlannedTask task, NodeReconcile reconcile) {
    return task.submittedAt() == null ? missing(reconcile) : Optional.empty();
  }

  /** Waits as long as there are fewer witnesses than are needed. */
  static Optional<TaskOutcome> missing(NodeReconcile reconcile) {
    List<String> witnesses = witnesses(reconcile);
    if (!Witnesses.areKnown(reconcile.node().getSpec()) || witnesses.size() >= Witnesses.NEEDED) {
      return Optional.empty();
    }
    return Optional.of(
        TaskOutcome.waitFor(
            StallReason.WITNESSES_MISSING,
            "state sync needs %d nodes that serve RPC, and %s: add them to spec.peers; nodes that"
                    .formatted(
                        Witnesses.NEEDED,
                        witnesses.isEmpty()
                            ? "there is none"
                            : "only " + witnesses.get(0) + " is available")
                + " a label selects count while they are Ready",
            RECHECK));
  }

  private static List<String> witnesses(NodeReconcile reconcile) {
    return Witnesses.of(reconcile.node().getSpec(), reconcile.snapshot().peers());
  }
}
