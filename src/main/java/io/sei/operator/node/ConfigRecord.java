package io.sei.operator.node;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.progression.ConfigHash;
import io.sei.operator.progression.PeerSources;
import io.sei.operator.progression.SidecarTaskTypes;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** What a node's status says of the configuration its sidecar was given. */
public final class ConfigRecord {

  private ConfigRecord() {}

  /** Notes that the configuration a node's plan hands over was found valid. */
  public static void applied(NodeWork work) {
    AppliedConfig config =
        after(work.status().plan(), work.status().config(), work.snapshot().now());
    work.update(status -> status.withConfig(config));
  }

  /**
   * A node that came to us running, or from a version that counts otherwise, is taken to be
   * configured as its spec says: what it was really given is written in no place.
   */
  static void adopt(NodeWork work) {
    AppliedConfig config = work.status().config();
    if (work.snapshot().isRunning()
        && (config == null || !ConfigHash.isKnownFormat(config.hash()))) {
      var assumed = new AppliedConfig(work.snapshot().configHash(), null, null, null);
      work.update(status -> status.withConfig(assumed));
    }
  }

  /** The record after all of a plan's configuration was applied. */
  static AppliedConfig after(TaskPlan plan, AppliedConfig before, Instant now) {
    Optional<JsonNode> intent = task(plan, SidecarTaskTypes.CONFIG_APPLY).map(PlannedTask::params);
    Optional<PlannedTask> peers = task(plan, SidecarTaskTypes.DISCOVER_PEERS);
    List<String> keys = before == null ? null : before.keys();
    if (intent.isPresent()) {
      var set = new TreeSet<String>();
      intent.get().path("overrides").fieldNames().forEachRemaining(set::add);
      peers.ifPresent(task -> set.add(PeerSources.KEY));
      keys = List.copyOf(set);
    }
    return new AppliedConfig(
        plan.target().configHash(),
        now,
        keys,
        ConfigHash.ofParams(peers.map(PlannedTask::params).orElse(null)));
  }

  /** The last of a type: a plan that bootstraps hands the configuration over twice. */
  private static Optional<PlannedTask> task(TaskPlan plan, String type) {
    return plan.tasks().stream()
        .filter(task -> task.type().equals(type))
        .reduce((earlier, later) -> later);
  }
}
