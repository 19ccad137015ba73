package io.sei.operator.fleet.disruption;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.Limits;
import io.sei.operator.fleet.feature.RolloutVerdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Decides what may roll next. Down is down: a healthy node is taken only while those that are not
 * available, whatever the reason, and those taken and not done are together fewer than allowed.
 * Nodes whose seid does not run roll first and for free, so a halted fleet rolls in one wave; one
 * that runs and is not Ready goes before healthy ones, but is taken like them, as all may be so for
 * a moment. A stall on the new template holds every further node, and so does a crash of seid after
 * it had been Ready, also if the node is paused or held since.
 */
public final class RolloutPolicy {

  private final Rollout rollout;
  private final List<FleetNode> nodes;
  private final Limits limits;
  private final Instant now;

  RolloutPolicy(Rollout rollout, List<FleetNode> nodes, Limits limits, Instant now) {
    this.rollout = rollout;
    this.limits = limits;
    this.now = now;
    this.nodes =
        nodes.stream().filter(node -> !node.terminating()).map(this::withEvidence).toList();
  }

  /** Decides. */
  public static RolloutVerdict decide(
      Rollout rollout, List<FleetNode> nodes, Limits limits, Instant now) {
    return new RolloutPolicy(rollout, nodes, limits, now).verdict();
  }

  /** Returns whether a node that was available, and is not paused, is admitted and not done yet. */
  boolean isInProgress(FleetNode node) {
    return isTaken(node) && wasAvailable(node);
  }

  RolloutVerdict verdict() {
    List<FleetNode> eligible =
        nodes.stream()
            .filter(node -> node.ordinal() >= limits.partition() && !node.isLeftAlone())
            .filter(node -> !node.unreadable())
            // One that is admitted already counts until its pod could be replaced.
            .filter(node -> !node.atRisk() || isAdmitted(node))
            .toList();
    Optional<FleetNode> stalled = nodes.stream().filter(this::isStalledOnTarget).findFirst();
    List<FleetNode> waiting = eligible.stream().filter(node -> !isAdmitted(node)).toList();
    List<FleetNode> next = stalled.isPresent() ? List.of() : next(waiting);
    boolean blocked = stalled.isEmpty() && next.isEmpty() && !waiting.isEmpty();
    return new RolloutVerdict(
        next,
        waiting.isEmpty(),
        eligible.stream().allMatch(node -> node.held() || isDone(node)),
        stalled,
        nodes.stream().anyMatch(this::isToRollBack),
        recheck(eligible),
        blocked ? obstacle(waiting) : Optional.empty());
  }

  private Optional<FleetNode> obstacle(List<FleetNode> waiting) {
    return nodes.stream()
        .filter(this::isObstacle)
        .findFirst()
        .or(() -> waiting.stream().filter(FleetNode::isLeaving).findFirst());
  }

  /** Nodes that are not Ready first, then the highest ordinal, as StatefulSets do. */
  private List<FleetNode> next(List<FleetNode> waiting) {
    return availability()
        .admit(
            waiting.stream()
                .sorted(
                    Comparator.comparing(FleetNode::isReady)
                        .thenComparing(FleetNode::ordinal, Comparator.reverseOrder()))
                .toList());
  }

  /** The nodes as they count for this rollout. */
  Availability availability() {
    return Availability.of(Disruption.ROLLOUT, limits, nodes, List.of(), this::isInFlight);
  }

  private boolean isInFlight(FleetNode node) {
    boolean isSwitching =
        node.switching() && !node.pausedOrHeld() && (wasAvailable(node) || !node.neverReady());
    return isSwitching || isTaken(node);
  }

  /** A node admitted while its seid did not run, and not available before, is not in flight. */
  boolean isTaken(FleetNode node) {
    return !node.pausedOrHeld()
        && (wasAvailable(node) || node.mayRun() && !node.neverReady())
        && isAdmitted(node)
        && !isDone(node);
  }

  /**
   * Returns whether a node is down, or in flight, for a cause that is not the rollout's, and that
   * the rollout does not end.
   */
  private boolean isObstacle(FleetNode node) {
    if (node.switching() && !isAdmitted(node)) {
      return isInFlight(node);
    }
    boolean isToCome = !isAdmitted(node) && node.ordinal() >= limits.partition();
    boolean isUnderWay =
        isAdmitted(node) && !isDone(node) && node.stall() == null && !node.unreadable();
    return node.isDown() && (node.snapshotting() || !isToCome && !isUnderWay);
  }

  /**
   * Returns whether the rollout has to make the node Ready again. A node that was taken down
   * counts, whatever its own status reports since: its pod may have been seen Ready, live, and been
   * replaced before the node recorded that.
   */
  private boolean wasAvailable(FleetNode node) {
    return rollout
        .node(node.name())
        .filter(candidate -> Boolean.TRUE.equals(candidate.wasAvailable()))
        .filter(candidate -> candidate.admittedAt() != null || !node.neverReady())
        .isPresent();
  }

  /** A node made from the new template was admitted by being made. */
  private boolean isAdmitted(FleetNode node) {
    return node.isOn(rollout.targetHash()) || rollout.isAdmitted(node.name());
  }

  private boolean isDone(FleetNode node) {
    return node.runs(rollout.targetHash())
        && !hasCrashed(node)
        && (!wasAvailable(node) || limits.isConfirmed(node, now));
  }

  /**
   * The node with the stall by which it is judged: a crash after it was Ready, or for a node that
   * is paused, held or unreadable the stall that was recorded before.
   */
  private FleetNode withEvidence(FleetNode node) {
    if (hasCrashed(node)) {
      return crashed(node);
    }
    return node.pausedOrHeld() || node.unreadable()
        ? node.with(
            builder ->
                builder
                    .stall(recordedStall(node).orElse(null))
                    .stallMessage(
                        "stalled on the new template, and has not been Ready with it since; %s, delete it, or change the template"
                            .formatted(
                                node.unreadable()
                                    ? FleetNode.HOW_TO_READ
                                    : "resume or release the node"))
                    .stalledSince(null))
        : node;
  }

  private Optional<String> recordedStall(FleetNode node) {
    return rollout.node(node.name()).map(RolloutNode::stalledOn);
  }

  /**
   * Returns the cause for which the node stalled on the target, if that may be the template; empty
   * once the node is Ready with the target.
   */
  Optional<String> stalledOn(FleetNode observed) {
    FleetNode node = withEvidence(observed);
    if (isStalledOnTarget(node) && StallReason.named(node.stall()).mayBeOfTemplate()) {
      return Optional.of(node.stall());
    }
    boolean isWell = node.isReady() && node.runs(rollout.targetHash());
    return isWell || !node.isOn(rollout.targetHash()) ? Optional.empty() : recordedStall(node);
  }

  /** A node that was already down for the same cause is no evidence against the new template. */
  private boolean isStalledOnTarget(FleetNode node) {
    return node.stall() != null
        && node.isOn(rollout.targetHash())
        && node.ordinal() >= limits.partition()
        && (wasAvailable(node) || hasCrashed(node) || !isOwnCause(node));
  }

  /** A node that syncs for the first time counts as stalled for no known cause after a while. */
  private boolean isOwnCause(FleetNode node) {
    boolean isAsBefore =
        rollout.node(node.name()).map(RolloutNode::cause).filter(node.stall()::equals).isPresent();
    return isAsBefore || node.neverReady() && StallReason.UNKNOWN.is(node.stall());
  }

  /**
   * Returns whether seid crashed on the new template after it was Ready, and has not run well
   * since.
   */
  private boolean hasCrashed(FleetNode node) {
    return node.crashedAt() != null
        && node.runs(rollout.targetHash())
        && !(node.isReady() && !recoveredAt(node).isAfter(now));
  }

  private static FleetNode crashed(FleetNode node) {
    boolean told = node.stall() != null;
    return node.with(
        builder ->
            builder
                .stall(told ? node.stall() : node.crashReason())
                .stallMessage(told ? node.stallMessage() : node.crash())
                .stalledSince(node.crashedAt()));
  }

  private boolean isToRollBack(FleetNode node) {
    return limits.onStall() == OnStall.ROLLBACK
        && !node.pausedOrHeld()
        && isStalledOnTarget(node)
        && StallReason.named(node.stall()).mayRollbackHelp()
        // The cause of a crash counts on, whatever the node is stalled on, or Ready, since.
        && (node.crashReason() == null || StallReason.named(node.crashReason()).mayRollbackHelp())
        && !limits.deadline(node, now).isAfter(now);
  }

  /** A rollback for the crash takes precedence. */
  private Instant recoveredAt(FleetNode node) {
    int deadlines = limits.onStall() == OnStall.ROLLBACK ? 2 : 1;
    return Limits.past(node.readySince(), now)
        .plus(limits.progressDeadline().multipliedBy(deadlines));
  }

  private Optional<Duration> recheck(List<FleetNode> eligible) {
    var moments = new ArrayList<Instant>();
    for (FleetNode node : eligible) {
      if (node.isReady() && node.runs(rollout.targetHash())) {
        moments.add(hasCrashed(node) ? recoveredAt(node) : limits.confirmedAt(node, now));
      }
      if (limits.onStall() == OnStall.ROLLBACK && isStalledOnTarget(node)) {
        moments.add(limits.deadline(node, now));
      }
    }
    return moments.stream()
        .filter(moment -> moment.isAfter(now))
        .min(Comparator.naturalOrder())
        .map(moment -> Duration.between(now, moment));
  }
}
