package io.sei.operator.node.sync;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.Witnesses;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.TaskOutcome;
import java.util.List;
import java.util.Optional;

/**
 * Holds state sync back until there are enough nodes to ask. Who they are is found out for each
 * attempt, since a node that was there may be gone.
 */
final class StateSyncWitnesses {

  private StateSyncWitnesses() {}

  /** The request, with the witnesses that are known now. */
  static Step request(JsonNode params, NodePass pass) {
    ObjectNode all =
        params == null ? JsonNodeFactory.instance.objectNode() : (ObjectNode) params.deepCopy();
    if (Witnesses.areKnown(pass.node().getSpec())) {
      witnesses(pass).forEach(all.putArray("rpcServers")::add);
    }
    return new Step(SidecarTaskTypes.CONFIGURE_STATE_SYNC, all);
  }

  /** Whether the sidecar may be asked. */
  static Optional<TaskOutcome> check(PlannedTask task, NodePass pass) {
    return task.submittedAt() == null
        ? Witnesses.missing(pass.node().getSpec(), pass.view().peers())
        : Optional.empty();
  }

  private static List<String> witnesses(NodePass pass) {
    return Witnesses.of(pass.node().getSpec(), pass.view().peers());
  }
}
