package io.sei.operator.node.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.api.v1alpha1.UnreadConfig;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PeerSources;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.render.ConfigHash;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Reads and writes a node's record of the configuration that its sidecar received. */
public final class ConfigRecord {

  /** Record of a node whose configuration was never found valid. */
  private static final AppliedConfig NOTHING = new AppliedConfig("", null, null, null, null, null);

  private ConfigRecord() {}

  /**
   * The status with what a plan has written into the files that failed, or is superseded, before
   * they were found valid: whatever the spec asks for then, also what was applied before, is
   * written again.
   */
  public static SeiNodeStatus written(SeiNodeStatus status, TaskPlan plan) {
    boolean done =
        plan != null
            && (plan.isActive() || plan.isFailed())
            && isComplete(plan, SidecarTaskTypes.CONFIG_APPLY);
    if (!done) {
      return status;
    }
    AppliedConfig config = written(plan, status.config());
    boolean open =
        ConfigHash.isKnownFormat(config.hash())
            && !isComplete(plan, SidecarTaskTypes.CONFIG_VALIDATE);
    return status.withConfig(open ? config.withHash(ConfigHash.UNVALIDATED) : config);
  }

  private static boolean isComplete(TaskPlan plan, String type) {
    return task(plan, type).filter(task -> task.status() == TaskStatus.COMPLETE).isPresent();
  }

  /** Notes that the configuration a node's plan hands over was found valid. */
  public static void applied(NodePass pass) {
    AppliedConfig before = pass.draft().config();
    AppliedConfig config = after(pass.draft().plan(), before, pass.view().now());
    UnreadConfig unread = UnreadRun.after(pass, before, config);
    String ended = UnreadRun.endedBefore(pass, before, config).orElse(pass.draft().endedRun());
    pass.update(
        status -> status.with(next -> next.config(config).unreadConfig(unread).endedRun(ended)));
  }

  /**
   * A node that came to us running, or from a version that counts otherwise, is taken to be
   * configured as its spec says: what it was really given is written in no place.
   */
  public static void adopt(NodePass pass) {
    AppliedConfig config = pass.draft().config();
    if (pass.view().isRunning() && (config == null || !ConfigHash.isKnownFormat(config.hash()))) {
      var assumed = new AppliedConfig(pass.view().configHash(), null, null, null, null, null);
      pass.update(status -> status.withConfig(assumed));
    }
  }

  /** The record after all of a plan's configuration was applied. */
  static AppliedConfig after(TaskPlan plan, AppliedConfig before, Instant now) {
    Optional<PlannedTask> peers = task(plan, SidecarTaskTypes.DISCOVER_PEERS);
    // Several tasks may end in one step of a plan, of which its record knows only afterwards.
    AppliedConfig written = written(plan, before, true);
    return written.with(
        builder ->
            builder
                .hash(plan.target().configHash())
                .appliedAt(now)
                .peersHash(ConfigHash.ofParams(peers.map(PlannedTask::params).orElse(null))));
  }

  /** The record after the files were written, which need not be found valid. */
  public static AppliedConfig written(TaskPlan plan, AppliedConfig before) {
    return written(plan, before, isComplete(plan, SidecarTaskTypes.CONFIG_PATCH));
  }

  private static AppliedConfig written(TaskPlan plan, AppliedConfig before, boolean isPatched) {
    AppliedConfig known = before == null ? NOTHING : before;
    Optional<JsonNode> intent = task(plan, SidecarTaskTypes.CONFIG_APPLY).map(PlannedTask::params);
    if (intent.isEmpty()) {
      return known;
    }
    var keys = new TreeSet<String>();
    intent.get().path("overrides").fieldNames().forEachRemaining(keys::add);
    task(plan, SidecarTaskTypes.DISCOVER_PEERS).ifPresent(task -> keys.add(PeerSources.KEY));
    Optional<PlannedTask> patch = task(plan, SidecarTaskTypes.CONFIG_PATCH);
    patch.ifPresent(task -> ConfigPatch.set(task.params()).forEach(keys::add));
    var left = new TreeSet<String>();
    boolean kept = intent.get().path("incremental").asBoolean();
    Stream.of(known.keys(), known.keysLeft()).filter(Objects::nonNull).forEach(left::addAll);
    left.removeIf(key -> keys.contains(key) || !(kept || ConfigPatch.isNeverWrittenAgain(key)));
    patch
        .filter(task -> isPatched)
        .ifPresent(task -> ConfigPatch.removed(task.params()).forEach(left::remove));
    boolean inherited = kept && (before == null || Boolean.TRUE.equals(before.inherited()));
    return known.with(
        builder ->
            builder
                .keys(List.copyOf(keys))
                .keysLeft(left.isEmpty() ? null : List.copyOf(left))
                .inherited(inherited ? true : null));
  }

  /** The last of a type: a plan that bootstraps hands the configuration over twice. */
  private static Optional<PlannedTask> task(TaskPlan plan, String type) {
    return plan.tasks().stream()
        .filter(task -> task.type().equals(type))
        .reduce((earlier, later) -> later);
  }
}
