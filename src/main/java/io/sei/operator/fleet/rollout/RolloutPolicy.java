package io.sei.operator.fleet.rollout;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.Limits;
import io.sei.operator.fleet.model.RolloutVerdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decides what may roll next. Never more healthy nodes are made unavailable than allowed; nodes
 * that are unavailable anyway roll first and for free, so a halted fleet rolls in one wave; a stall
 * on the new template holds every further node.
 */
public final class RolloutPolicy {

  /**
   * A rollback would take a node to an image it has outgrown, or away from one it needs; or the
   * image has nothing to do with it.
   */
  private static final Set<StallReason> NEVER_ROLLED_BACK =
      Set.of(
          StallReason.HALTED_AT_UPGRADE,
          StallReason.IMAGE_TOO_EARLY,
          StallReason.HALTED_BY_CONFIGURATION);

  private final Rollout rollout;
  private final List<FleetNode> nodes;
  private final Limits limits;
  private final Instant now;

  private RolloutPolicy(Rollout rollout, List<FleetNode> nodes, Limits limits, Instant now) {
    this.rollout = rollout;
    this.nodes = nodes.stream().filter(node -> !node.terminating()).toList();
    this.limits = limits;
    this.now = now;
  }

  /** Decides. */
  public static RolloutVerdict decide(
      Rollout rollout, List<FleetNode> nodes, Limits limits, Instant now) {
    return new RolloutPolicy(rollout, nodes, limits, now).verdict();
  }

  /** How much of what may be unavailable is used. */
  static long unavailable(Rollout rollout, List<FleetNode> nodes, Limits limits, Instant now) {
    return new RolloutPolicy(rollout, nodes, limits, now).used();
  }

  /** Whether a healthy node that nobody has paused is admitted and not done yet. */
  static boolean isInProgress(Rollout rollout, FleetNode node, Limits limits, Instant now) {
    var policy = new RolloutPolicy(rollout, List.of(node), limits, now);
    return policy.isAdmitted(node)
        && policy.wasAvailable(node)
        && !node.paused()
        && !policy.isDone(node);
  }

  private RolloutVerdict verdict() {
    List<FleetNode> eligible =
        nodes.stream()
            .filter(node -> node.ordinal() >= limits.partition() && !node.paused())
            .toList();
    Optional<FleetNode> stalled = nodes.stream().filter(this::isStalledOnTarget).findFirst();
    List<FleetNode> waiting = eligible.stream().filter(node -> !isAdmitted(node)).toList();
    return new RolloutVerdict(
        stalled.isPresent() ? List.of() : next(waiting),
        waiting.isEmpty(),
        eligible.stream().allMatch(this::isDone),
        stalled,
        nodes.stream().anyMatch(this::isToRollBack),
        recheck(eligible));
  }

  private List<FleetNode> next(List<FleetNode> waiting) {
    var admit = new ArrayList<FleetNode>();
    waiting.stream().filter(node -> !node.isReady()).forEach(admit::add);
    long budget = limits.maxUnavailable() - used();
    // Highest ordinal first, as StatefulSets do.
    waiting.stream()
        .filter(FleetNode::isReady)
        .sorted(Comparator.comparingInt(FleetNode::ordinal).reversed())
        .limit(Math.max(0, budget))
        .forEach(admit::add);
    return admit;
  }

  /**
   * Nodes that were healthy and are not, or may not be, because of this rollout or beside it. One
   * that somebody has paused is down on purpose, admitted or not.
   */
  private long used() {
    return nodes.stream()
        .filter(node -> wasAvailable(node) && !node.paused())
        .filter(node -> node.switching() || (isAdmitted(node) ? !isDone(node) : !node.isReady()))
        .count();
  }

  private boolean wasAvailable(FleetNode node) {
    return rollout.node(node.name()).map(RolloutNode::wasAvailable).orElse(false);
  }

  /** A node made from the new template was admitted by being made. */
  private boolean isAdmitted(FleetNode node) {
    return node.isOn(rollout.targetHash()) || rollout.isAdmitted(node.name());
  }

  private boolean isDone(FleetNode node) {
    return node.runs(rollout.targetHash())
        && (!wasAvailable(node) || (node.isReady() && !readyLongEnoughAt(node).isAfter(now)));
  }

  private boolean isStalledOnTarget(FleetNode node) {
    return node.stall() != null
        && !node.paused()
        && node.isOn(rollout.targetHash())
        && node.ordinal() >= limits.partition();
  }

  private boolean isToRollBack(FleetNode node) {
    return limits.onStall() == OnStall.ROLLBACK
        && isStalledOnTarget(node)
        && NEVER_ROLLED_BACK.stream().noneMatch(it -> it.is(node.stall()))
        && !deadline(node).isAfter(now);
  }

  private Instant readyLongEnoughAt(FleetNode node) {
    return past(node.readySince()).plus(limits.minReady());
  }

  private Instant deadline(FleetNode node) {
    return past(node.stalledSince()).plus(limits.progressDeadline());
  }

  /** A moment that is missing or still to come says nothing; waiting begins anew. */
  private Instant past(Instant moment) {
    return moment == null || moment.isAfter(now) ? now : moment;
  }

  private Optional<Duration> recheck(List<FleetNode> eligible) {
    var moments = new ArrayList<Instant>();
    for (FleetNode node : eligible) {
      if (node.isReady() && node.runs(rollout.targetHash())) {
        moments.add(readyLongEnoughAt(node));
      }
      if (limits.onStall() == OnStall.ROLLBACK && isStalledOnTarget(node)) {
        moments.add(deadline(node));
      }
    }
    return moments.stream()
        .filter(moment -> moment.isAfter(now))
        .min(Comparator.naturalOrder())
        .map(moment -> Duration.between(now, moment));
  }
}
