package io.sei.operator.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.node.NodeWork;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.progression.SidecarStep;
import io.sei.operator.progression.Witnesses;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Has the sidecar configure state sync, and tells it whom to ask. Whom is found out anew for each
 * attempt, since a node that was there may be gone.
 */
public final class ConfigureStateSyncTask implements Task<NodeWork> {

  private static final Duration RECHECK = Duration.ofSeconds(5);

  private final SidecarTaskRunner runner;

  public ConfigureStateSyncTask(SidecarTaskRunner runner) {
    this.runner = runner;
  }

  @Override
  public String type() {
    return runner.type();
  }

  @Override
  public TaskOutcome run(PlannedTask task, NodeWork work) {
    return missingWitnesses(work)
        .filter(missing -> task.submittedAt() == null)
        .orElseGet(() -> runner.run(task, work));
  }

  /** The request, with the witnesses that are known now. */
  public static SidecarStep request(JsonNode params, NodeWork work) {
    ObjectNode told = JsonNodeFactory.instance.objectNode();
    if (params != null) {
      params.properties().forEach(param -> told.set(param.getKey(), param.getValue()));
    }
    if (Witnesses.areKnown(work.node().getSpec())) {
      witnesses(work).forEach(told.putArray("rpcServers")::add);
    }
    return SidecarStep.configureStateSync(told);
  }

  /** Waits as long as there are fewer witnesses than are needed. */
  static Optional<TaskOutcome> missingWitnesses(NodeWork work) {
    List<String> witnesses = witnesses(work);
    if (!Witnesses.areKnown(work.node().getSpec()) || witnesses.size() >= Witnesses.NEEDED) {
      return Optional.empty();
    }
    return Optional.of(
        TaskOutcome.waitFor(
            "WitnessesMissing",
            "state sync needs %d nodes that serve RPC, and %s: add them to spec.peers; those that"
                    .formatted(
                        Witnesses.NEEDED,
                        witnesses.isEmpty()
                            ? "none is known"
                            : "only " + witnesses.get(0) + " is known")
                + " a label selects count while they are Ready",
            RECHECK));
  }

  private static List<String> witnesses(NodeWork work) {
    return Witnesses.of(work.node().getSpec(), work.snapshot().peers());
  }
}
