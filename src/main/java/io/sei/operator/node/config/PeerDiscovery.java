package io.sei.operator.node.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PeerResolution;
import io.sei.operator.node.feature.PeerSources;
import io.sei.operator.node.feature.Witnesses;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.TaskOutcome;
import java.time.Duration;
import java.util.Optional;

/**
 * Finds out who the peers are before the sidecar writes them. Peers that are not known yet are
 * waited for a little, since nodes often start together, and then left out: the node starts without
 * them and gets them later, unless state sync needs them.
 */
final class PeerDiscovery {

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Duration RECHECK = Duration.ofMillis(500);

  private PeerDiscovery() {}

  /** The request, with peers that are Ready before others. */
  static Step request(JsonNode params, NodePass pass) {
    return PeerSources.request(params, pass.view().peers().ready());
  }

  /** Whether the sidecar may be asked. */
  static Optional<TaskOutcome> check(PlannedTask task, NodePass pass) {
    boolean known = task.params() != null && !task.params().isEmpty();
    return known ? Optional.empty() : Optional.of(discover(task, pass));
  }

  private static TaskOutcome discover(PlannedTask task, NodePass pass) {
    PeerResolution peers = pass.view().peers();
    if (!peers.missing().isEmpty() && pass.view().now().isBefore(task.startedAt().plus(PATIENCE))) {
      return TaskOutcome.waitFor(
          TaskReason.PEERS_UNRESOLVED,
          "not known yet: " + String.join(", ", peers.missing()),
          RECHECK);
    }
    // Seid reads its peers when it starts, and state sync needs them then.
    Optional<TaskOutcome> missing =
        Witnesses.areWanted(pass.node().getSpec()) && !pass.view().isRunning()
            ? Witnesses.missing(pass.node().getSpec(), peers)
            : Optional.empty();
    return missing.orElseGet(
        () ->
            PeerSources.params(pass.node().getSpec(), peers.addresses())
                .<TaskOutcome>map(TaskOutcome.Captured::new)
                .orElseGet(TaskOutcome::done));
  }
}
