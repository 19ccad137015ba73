package io.sei.operator.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.node.NodeWork;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.progression.PeerResolution;
import io.sei.operator.progression.PeerSources;
import io.sei.operator.progression.SidecarStep;
import io.sei.operator.progression.Witnesses;
import java.time.Duration;
import java.util.Optional;

/**
 * Finds out who the peers are, and has the sidecar write them. Peers that are not known yet are
 * waited for a little, since nodes often start together, and then left out: the node starts without
 * them and is given them later, unless state sync needs them.
 */
public final class DiscoverPeersTask implements Task<NodeWork> {

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Duration RECHECK = Duration.ofMillis(500);

  private final SidecarTaskRunner runner;

  public DiscoverPeersTask(SidecarTaskRunner runner) {
    this.runner = runner;
  }

  @Override
  public String type() {
    return runner.type();
  }

  /** The request, with peers that are Ready before others. */
  public static SidecarStep request(JsonNode params, NodeWork work) {
    return PeerSources.request(params, work.snapshot().peers().ready());
  }

  @Override
  public TaskOutcome run(PlannedTask task, NodeWork work) {
    if (task.params() != null && !task.params().isEmpty()) {
      return runner.run(task, work);
    }
    PeerResolution peers = work.snapshot().peers();
    if (!peers.missing().isEmpty()
        && work.snapshot().now().isBefore(task.startedAt().plus(PATIENCE))) {
      return TaskOutcome.waitFor(
          "PeersUnresolved", "not known yet: " + String.join(", ", peers.missing()), RECHECK);
    }
    // Seid reads its peers when it starts, and state sync needs them then.
    Optional<TaskOutcome> missing =
        Witnesses.areWanted(work.node().getSpec()) && !work.snapshot().isRunning()
            ? ConfigureStateSyncTask.missingWitnesses(work)
            : Optional.empty();
    if (missing.isPresent()) {
      return missing.get();
    }
    Optional<ObjectNode> params = PeerSources.params(work.node().getSpec(), peers.addresses());
    return params.<TaskOutcome>map(TaskOutcome.Captured::new).orElseGet(TaskOutcome::done);
  }
}
