package io.sei.operator.fleet.disruption;

import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * PURE: which nodes of a fleet are available to a kind of disruption, and which may be taken down
 * within {@code maxUnavailable}.
 *
 * <p>A node that is paused or held is exempt, unless it cannot be read. To a required disruption a
 * node that is terminating, or has not been Ready yet, is exempt as well; to another one it is
 * down.
 *
 * @param ready names of nodes that serve
 * @param down names of nodes that do not serve, or are stopped for a snapshot, and are not exempt
 * @param inFlight names of nodes that are being taken down, or are not back yet
 * @param exempt names of nodes that do not count
 */
public record Availability(
    Disruption disruption,
    int maxUnavailable,
    List<String> ready,
    List<String> down,
    List<String> inFlight,
    List<String> exempt) {

  /**
   * Counts the nodes of a fleet.
   *
   * @param missing names of nodes that are not created yet, which are new as well
   * @param isInFlight whether a node was taken down, or is about to be, and is not done yet
   */
  public static Availability of(
      Disruption disruption,
      Limits limits,
      List<FleetNode> nodes,
      List<String> missing,
      Predicate<FleetNode> isInFlight) {
    var counted =
        new Availability(
            disruption,
            limits.maxUnavailable(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>());
    for (FleetNode node : nodes) {
      counted.groupOf(node, isInFlight.test(node)).add(node.name());
    }
    counted.newNodes().addAll(missing);
    return counted;
  }

  private List<String> groupOf(FleetNode node, boolean isInFlight) {
    if (node.pausedOrHeld()) {
      return exempt;
    }
    if (isInFlight && !node.terminating()) {
      return inFlight;
    }
    if (node.terminating() || node.neverReady()) {
      return newNodes();
    }
    return node.isReady() && !node.snapshotting() ? ready : down;
  }

  private List<String> newNodes() {
    return disruption.isRequired() ? exempt : down;
  }

  /** Names of the nodes that use the budget: those that are down, and those in flight. */
  public List<String> unavailable() {
    return Stream.concat(down.stream(), inFlight.stream()).sorted().toList();
  }

  /** Number of unavailable nodes above the limit; negative if fewer are unavailable. */
  public int excess() {
    return down.size() + inFlight.size() - maxUnavailable;
  }

  /**
   * Number of nodes that serve and may be taken down now. A disruption that can wait never takes
   * the last node that serves, unless the fleet has no other node.
   */
  private int room() {
    boolean hasOthers = ready.size() + down.size() + inFlight.size() + exempt.size() > 1;
    boolean leavesLast = !disruption.isRequired() && hasOthers;
    return Math.max(0, leavesLast ? Math.min(-excess(), ready.size() - 1) : -excess());
  }

  /**
   * Returns the candidates that may be taken down now, in their order. A node that is not Ready
   * costs nothing. All nodes may be so for a moment; of those whose seid runs, a rollout therefore
   * takes only as many as may be in flight.
   */
  public List<FleetNode> admit(List<FleetNode> candidates) {
    int serving = room();
    int starting = maxUnavailable - inFlight.size();
    var admitted = new ArrayList<FleetNode>();
    for (FleetNode node : candidates) {
      // A user asks for a task at that very node.
      if (node.isLeaving() && disruption != Disruption.TASK) {
        continue;
      }
      if (isFree(node) || (node.isReady() ? serving-- : starting--) > 0) {
        admitted.add(node);
      }
    }
    return admitted;
  }

  private boolean isFree(FleetNode node) {
    return !node.isReady()
        && (disruption != Disruption.ROLLOUT || node.neverReady() || !node.mayRun());
  }

  /** Why no node that serves may be taken down; empty if one may. */
  public Optional<String> obstacle() {
    if (excess() >= 0) {
      return Optional.of(
          "maxUnavailable %d is used up by: %s"
              .formatted(maxUnavailable, String.join(", ", unavailable())));
    }
    return room() == 0 ? Optional.of("no other node of the fleet is Ready") : Optional.empty();
  }
}
