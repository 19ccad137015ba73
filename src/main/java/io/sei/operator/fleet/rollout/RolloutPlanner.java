package io.sei.operator.fleet.rollout;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.model.RolloutDecision;
import io.sei.operator.fleet.model.RolloutVerdict;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.TemplateHash;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Decides from a snapshot whether a rollout begins, goes on, is superseded, paused or over. */
public final class RolloutPlanner {

  private RolloutPlanner() {}

  /** Decides. */
  public static RolloutDecision decide(FleetSnapshot snapshot) {
    SeiNodeDeploymentStatus status = corrected(snapshot);
    if (!status.equals(snapshot.status())) {
      return new RolloutDecision.Persist(status);
    }
    if (snapshot.pausesRollouts()) {
      return status.rollout() == null
          ? new RolloutDecision.Rest()
          : new RolloutDecision.Persist(
              status.with(it -> it.pausedRollout(status.rollout()).rollout(null).plan(null)));
    }
    if (status.rollout() == null && Boolean.TRUE.equals(status.rolloutsPaused())) {
      // A node that is still paused would be skipped, as one that somebody else has paused.
      return new RolloutDecision.Resume();
    }
    Optional<Rollout> wanted = wanted(snapshot);
    if (wanted.isEmpty()) {
      return status.pausedRollout() == null
          ? new RolloutDecision.Rest()
          : new RolloutDecision.Persist(status.withPausedRollout(null));
    }
    Rollout rollout = wanted.get();
    if (!rollout.equals(status.rollout()) || !RolloutPlan.isFor(status.plan(), rollout)) {
      TaskPlan plan = RolloutPlan.of(snapshot, rollout);
      return new RolloutDecision.Persist(
          status.with(it -> it.rollout(rollout).pausedRollout(null).plan(plan)));
    }
    return proceed(snapshot, rollout);
  }

  /** The record of templates and of the rollout, corrected by what the nodes show. */
  private static SeiNodeDeploymentStatus corrected(FleetSnapshot snapshot) {
    SeiNodeDeploymentStatus status = snapshot.status();
    String completed = completedHash(snapshot);
    // One that every node was brought to did not fail: there is nothing else to go back to.
    boolean failed =
        !snapshot.target().equals(snapshot.templateHash())
            && !snapshot.templateHash().equals(completed);
    Rollout rollout = corrected(snapshot, status.rollout());
    // Another operator also makes plans that belong to no rollout, and nobody runs those here.
    TaskPlan plan = rollout == null ? null : status.plan();
    return status.with(
        it ->
            it.templateHash(completed)
                .failedTemplateHash(failed ? status.failedTemplateHash() : null)
                .rollout(rollout)
                .pausedRollout(rollout == null ? status.pausedRollout() : null)
                .plan(plan));
  }

  private static Rollout corrected(FleetSnapshot snapshot, Rollout rollout) {
    return RolloutRecord.corrected(
        withoutScaledAway(snapshot, rollout), snapshot.fleet(), snapshot.limits(), snapshot.now());
  }

  /** A node that is scaled away and back is a new one: it was never available or admitted. */
  private static Rollout withoutScaledAway(FleetSnapshot snapshot, Rollout rollout) {
    if (rollout == null || rollout.nodes() == null) {
      return rollout;
    }
    return rollout.withNodes(
        rollout.nodes().stream()
            .filter(node -> node != null && node.name() != null)
            .filter(
                node ->
                    ChildRenderer.ordinal(snapshot.deployment(), node.name()).orElse(0)
                        < snapshot.replicas())
            .toList());
  }

  /** The hash of the last template that every node was brought to. */
  private static String completedHash(FleetSnapshot snapshot) {
    String recorded = snapshot.status().templateHash();
    Set<String> given =
        snapshot.fleet().stream().map(FleetNode::templateHash).collect(Collectors.toSet());
    boolean exists =
        TemplateHash.isKnownFormat(recorded)
            && (recorded.equals(snapshot.templateHash())
                || given.contains(recorded)
                || snapshot.revisions().template(recorded).isPresent());
    if (!exists) {
      return given.size() == 1 ? given.iterator().next() : snapshot.templateHash();
    }
    boolean everyNode =
        snapshot.status().rollout() == null && given.equals(Set.of(snapshot.target()));
    return everyNode ? snapshot.target() : recorded;
  }

  /**
   * The rollout there is to be once nothing is paused: the one under way, one that was paused, or a
   * new one. Empty if every node that is to have the template has it.
   */
  public static Optional<Rollout> wanted(FleetSnapshot snapshot) {
    Rollout active = corrected(snapshot, snapshot.status().rollout());
    Rollout earlier =
        active == null ? corrected(snapshot, snapshot.status().pausedRollout()) : active;
    if (earlier != null && earlier.targetHash().equals(snapshot.target())) {
      return Optional.of(earlier);
    }
    return active == null && !isAnyNodeOutdated(snapshot)
        ? Optional.empty()
        : Optional.of(corrected(snapshot, begun(snapshot, Optional.ofNullable(earlier))));
  }

  private static boolean isAnyNodeOutdated(FleetSnapshot snapshot) {
    return snapshot.fleet().stream()
        .filter(node -> !node.terminating() && !node.paused() && !node.atRisk())
        .filter(node -> !node.unreadable())
        .filter(node -> node.ordinal() >= snapshot.limits().partition())
        .anyMatch(node -> !node.isOn(snapshot.target()));
  }

  /**
   * A new rollout. A node that the one before made unavailable was available all the same. One that
   * is in progress stays admitted, and counts: its pod may be deleted for the earlier template at
   * any moment.
   */
  private static Rollout begun(FleetSnapshot snapshot, Optional<Rollout> earlier) {
    var nodes = new ArrayList<RolloutNode>();
    for (FleetNode node : snapshot.fleet()) {
      if (!node.terminating()) {
        boolean available =
            isAvailable(node)
                || earlier
                    .flatMap(it -> it.node(node.name()))
                    .filter(it -> Boolean.TRUE.equals(it.wasAvailable()))
                    .isPresent();
        Instant admittedAt =
            earlier
                .filter(
                    it -> RolloutPolicy.isInProgress(it, node, snapshot.limits(), snapshot.now()))
                .map(it -> snapshot.now())
                .orElse(null);
        nodes.add(new RolloutNode(node.name(), admittedAt, available));
      }
    }
    return new Rollout(snapshot.target(), snapshot.now(), List.copyOf(nodes));
  }

  /** A node that is behind for a moment is missed as one that is Ready would be. */
  private static boolean isAvailable(FleetNode node) {
    return node.isReady() || node.snapshotting() || node.isBehind();
  }

  private static RolloutDecision proceed(FleetSnapshot snapshot, Rollout rollout) {
    SeiNodeDeploymentStatus status = snapshot.status();
    RolloutVerdict verdict =
        RolloutPolicy.decide(rollout, snapshot.fleet(), snapshot.limits(), snapshot.now());
    if (verdict.rollBack() && canRollBack(snapshot, rollout)) {
      // With the rollout that goes back, so that no status says that it goes to what failed.
      return decide(snapshot.withStatus(status.withFailedTemplateHash(rollout.targetHash())));
    }
    if (!verdict.admit().isEmpty()) {
      return new RolloutDecision.Persist(
          status.withRollout(admitted(rollout, verdict.admit(), snapshot.now())), true);
    }
    TaskPlan plan = RolloutPlan.advanced(snapshot, verdict);
    return new RolloutDecision.Continue(
        verdict, plan, plan.isActive() ? status.withPlan(plan) : completed(snapshot, rollout));
  }

  private static SeiNodeDeploymentStatus completed(FleetSnapshot snapshot, Rollout rollout) {
    String target = rollout.targetHash();
    boolean everyNode = snapshot.fleet().stream().allMatch(node -> node.isOn(target));
    String completed = everyNode ? target : snapshot.status().templateHash();
    return snapshot.status().with(it -> it.plan(null).rollout(null).templateHash(completed));
  }

  private static boolean canRollBack(FleetSnapshot snapshot, Rollout rollout) {
    String last = snapshot.status().templateHash();
    return last != null
        && !last.equals(rollout.targetHash())
        && rollout.targetHash().equals(snapshot.templateHash())
        && snapshot.revisions().template(last).isPresent();
  }

  /** The rollout with more nodes admitted. */
  static Rollout admitted(Rollout rollout, List<FleetNode> admit, Instant now) {
    Map<String, RolloutNode> nodes = new LinkedHashMap<>();
    List<RolloutNode> known = rollout.nodes() == null ? List.of() : rollout.nodes();
    known.forEach(node -> nodes.put(node.name(), node));
    for (FleetNode node : admit) {
      RolloutNode record =
          nodes.getOrDefault(node.name(), new RolloutNode(node.name(), null, false));
      boolean available = Boolean.TRUE.equals(record.wasAvailable()) || isAvailable(node);
      nodes.put(
          node.name(),
          record.with(it -> it.admittedAt(now).wasAvailable(available).cause(node.cause())));
    }
    return rollout.withNodes(List.copyOf(nodes.values()));
  }
}
