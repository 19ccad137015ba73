package io.sei.operator.fleet.disruption;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.FleetView.DisruptionSource;
import io.sei.operator.fleet.feature.RolloutDecision;
import io.sei.operator.fleet.feature.RolloutVerdict;
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

/**
 * Decides whether a rollout begins, continues, is superseded, paused or complete. The rollout
 * precedes every other disruption of a Ready node.
 */
public record RolloutPlanner() implements FleetFeature, DisruptionSource {

  @Override
  public Disruption disruption() {
    return Disruption.ROLLOUT;
  }

  @Override
  public List<FleetNode> inFlight(FleetView view) {
    Rollout rollout = view.stored().rollout();
    if (rollout == null) {
      return List.of();
    }
    RolloutPolicy policy = policy(view, rollout);
    return view.fleet().stream().filter(policy::isTaken).toList();
  }

  /**
   * A rollout makes progress from the moment that the template was changed, and between two
   * admissions, unless a node that is down for another cause prevents them.
   */
  @Override
  public boolean isMakingProgress(FleetView view) {
    Rollout rollout = view.stored().rollout();
    if (rollout == null) {
      return !view.pausesRollouts() && wanted(view).isPresent();
    }
    RolloutVerdict verdict = policy(view, rollout).verdict();
    return verdict.stalled().isEmpty()
        && verdict.obstacle().filter(node -> !node.switching() || node.stall() != null).isEmpty();
  }

  private static RolloutPolicy policy(FleetView view, Rollout rollout) {
    return new RolloutPolicy(rollout, view.fleet(), view.limits(), view.now());
  }

  /** Decides. */
  public static RolloutDecision decide(FleetView view) {
    SeiNodeDeploymentStatus status = corrected(view);
    if (!status.equals(view.stored())) {
      return new RolloutDecision.Persist(status);
    }
    if (view.pausesRollouts()) {
      return status.rollout() == null
          ? new RolloutDecision.Rest()
          : new RolloutDecision.Persist(
              status.with(
                  builder -> builder.pausedRollout(status.rollout()).rollout(null).plan(null)));
    }
    if (status.rollout() == null && Boolean.TRUE.equals(status.rolloutsPaused())) {
      // A node that is still paused would be skipped, like a node that its user has paused.
      return new RolloutDecision.Resume();
    }
    Optional<Rollout> wanted = wanted(view);
    if (wanted.isEmpty()) {
      return status.pausedRollout() == null
          ? new RolloutDecision.Rest()
          : new RolloutDecision.Persist(status.withPausedRollout(null));
    }
    Rollout rollout = wanted.get();
    if (!rollout.equals(status.rollout()) || !RolloutPlan.isFor(status.plan(), rollout)) {
      TaskPlan plan = RolloutPlan.of(view, rollout);
      return new RolloutDecision.Persist(
          status.with(builder -> builder.rollout(rollout).pausedRollout(null).plan(plan)));
    }
    return proceed(view, rollout);
  }

  /** The record of templates and of the rollout, corrected by what the nodes show. */
  private static SeiNodeDeploymentStatus corrected(FleetView view) {
    SeiNodeDeploymentStatus status = view.stored();
    String completed = completedHash(view);
    // One that every node was brought to did not fail: there is nothing else to go back to.
    boolean failed =
        !view.target().equals(view.templateHash()) && !view.templateHash().equals(completed);
    Rollout rollout = corrected(view, status.rollout());
    // A node that stalls meanwhile, and is then paused as well, stalled all the same.
    Rollout paused =
        view.pausesRollouts() ? corrected(view, status.pausedRollout()) : status.pausedRollout();
    // The Go operator also stores plans that belong to no rollout; this operator runs none of them.
    TaskPlan plan = rollout == null ? null : status.plan();
    return status.with(
        builder ->
            builder
                .completedTemplateHash(completed)
                .failedTemplateHash(failed ? status.failedTemplateHash() : null)
                .rollout(rollout)
                .pausedRollout(rollout == null ? paused : null)
                .plan(plan));
  }

  private static Rollout corrected(FleetView view, Rollout rollout) {
    return RolloutRecord.corrected(
        withoutScaledAway(view, rollout), view.fleet(), view.limits(), view.now());
  }

  /** A node that is scaled away and back is a new one: it was never available or admitted. */
  private static Rollout withoutScaledAway(FleetView view, Rollout rollout) {
    if (rollout == null || rollout.nodes() == null) {
      return rollout;
    }
    return rollout.withNodes(
        rollout.nodes().stream()
            .filter(node -> node != null && node.name() != null)
            .filter(
                node ->
                    ChildRenderer.ordinal(view.deployment(), node.name()).orElse(0)
                        < view.replicas())
            .toList());
  }

  /** The hash of the last template that every node was brought to. */
  private static String completedHash(FleetView view) {
    String recorded = view.stored().completedTemplateHash();
    Set<String> given =
        view.fleet().stream().map(FleetNode::templateHash).collect(Collectors.toSet());
    boolean exists =
        TemplateHash.isKnownFormat(recorded)
            && (recorded.equals(view.templateHash())
                || given.contains(recorded)
                || view.revisions().template(recorded).isPresent());
    if (!exists) {
      return given.size() == 1 ? given.iterator().next() : view.templateHash();
    }
    boolean everyNode = view.stored().rollout() == null && given.equals(Set.of(view.target()));
    return everyNode ? view.target() : recorded;
  }

  /**
   * Returns the rollout once nothing is paused: the one in progress, one that was paused, or a new
   * one. Empty if every node that has to have the template has it.
   */
  public static Optional<Rollout> wanted(FleetView view) {
    Rollout active = corrected(view, view.stored().rollout());
    Rollout earlier = active == null ? corrected(view, view.stored().pausedRollout()) : active;
    if (earlier != null && earlier.targetHash().equals(view.target())) {
      return Optional.of(earlier);
    }
    return active == null && !isAnyNodeOutdated(view)
        ? Optional.empty()
        : Optional.of(corrected(view, begun(view, Optional.ofNullable(earlier))));
  }

  private static boolean isAnyNodeOutdated(FleetView view) {
    return view.fleet().stream()
        .filter(node -> !node.terminating() && !node.isLeftAlone() && !node.atRisk())
        .filter(node -> !node.unreadable())
        .filter(node -> node.ordinal() >= view.limits().partition())
        .anyMatch(node -> !node.isOn(view.target()));
  }

  /**
   * A new rollout. A node that the one before made unavailable was available all the same. One that
   * is in progress stays admitted, and counts: its pod may be deleted for the earlier template at
   * any moment.
   */
  private static Rollout begun(FleetView view, Optional<Rollout> earlier) {
    var nodes = new ArrayList<RolloutNode>();
    for (FleetNode node : view.fleet()) {
      if (!node.terminating()) {
        boolean available =
            isAvailable(node)
                || earlier
                    .flatMap(rollout -> rollout.node(node.name()))
                    .filter(candidate -> Boolean.TRUE.equals(candidate.wasAvailable()))
                    .isPresent();
        Instant admittedAt =
            earlier
                .filter(rollout -> policy(view, rollout).isInProgress(node))
                .map(rollout -> view.now())
                .orElse(null);
        nodes.add(new RolloutNode(node.name(), admittedAt, available));
      }
    }
    return new Rollout(view.target(), view.now(), List.copyOf(nodes));
  }

  /** A node that is behind for a moment is missed as one that is Ready would be. */
  private static boolean isAvailable(FleetNode node) {
    return node.isReady() || node.snapshotting() || node.isBehind();
  }

  private static RolloutDecision proceed(FleetView view, Rollout rollout) {
    SeiNodeDeploymentStatus status = view.stored();
    RolloutVerdict verdict = policy(view, rollout).verdict();
    if (verdict.rollBack() && canRollBack(view, rollout)) {
      // With the rollout that goes back, so that no status says that it goes to what failed.
      return decide(view.withStored(status.withFailedTemplateHash(rollout.targetHash())));
    }
    if (!verdict.admit().isEmpty()) {
      return new RolloutDecision.Persist(
          status.withRollout(admitted(rollout, verdict.admit(), view.now())), verdict.admit());
    }
    TaskPlan plan = RolloutPlan.advanced(view, verdict);
    return new RolloutDecision.Continue(
        verdict, plan, plan.isActive() ? status.withPlan(plan) : completed(view, rollout));
  }

  private static SeiNodeDeploymentStatus completed(FleetView view, Rollout rollout) {
    String target = rollout.targetHash();
    boolean everyNode = view.fleet().stream().allMatch(node -> node.isOn(target));
    String completed = everyNode ? target : view.stored().completedTemplateHash();
    return view.stored()
        .with(status -> status.plan(null).rollout(null).completedTemplateHash(completed));
  }

  private static boolean canRollBack(FleetView view, Rollout rollout) {
    String last = view.stored().completedTemplateHash();
    return last != null
        && !last.equals(rollout.targetHash())
        && rollout.targetHash().equals(view.templateHash())
        && view.revisions().template(last).isPresent();
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
          record.with(
              builder -> builder.admittedAt(now).wasAvailable(available).cause(node.cause())));
    }
    return rollout.withNodes(List.copyOf(nodes.values()));
  }
}
