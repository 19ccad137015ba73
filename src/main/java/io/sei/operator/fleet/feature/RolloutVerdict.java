package io.sei.operator.fleet.feature;

import io.sei.operator.api.v1alpha1.NodeReason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Permitted actions of a rollout.
 *
 * @param admit nodes to be admitted now
 * @param admitted whether every node is admitted
 * @param done whether every node has got there
 * @param stalled the node that keeps the others from being admitted
 * @param rollBack whether it is time to go back
 * @param recheck when time alone changes the verdict
 * @param obstacle a node that is down for a cause of its own, and keeps healthy ones from being
 *     admitted; or one that serves on a Kubernetes node that is about to be drained
 */
public record RolloutVerdict(
    List<FleetNode> admit,
    boolean admitted,
    boolean done,
    Optional<FleetNode> stalled,
    boolean rollBack,
    Optional<Duration> recheck,
    Optional<FleetNode> obstacle) {

  /** Describes the obstacle and its remedy, in words that follow a comma or a colon. */
  public Optional<String> obstacleWords() {
    return obstacle.map(
        node ->
            node.isLeaving()
                ? "leaves %s alone: %s".formatted(node.name(), node.leaving())
                : "waits for %s, which is %s".formatted(node.name(), whyUnavailable(node)));
  }

  private static String whyUnavailable(FleetNode node) {
    if (node.unreadable()) {
      return "unreadable; " + FleetNode.HOW_TO_READ + ", or delete it";
    }
    if (node.snapshotting()) {
      return "stopped for a snapshot";
    }
    if (node.switching() && node.stall() == null) {
      return "in flight for a configuration, an early upgrade or a task";
    }
    if (node.stall() == null && NodeReason.STARTING.is(node.readyReason())) {
      return "starting, and goes on by itself";
    }
    return "down (%s); bring it back, or set spec.paused or spec.maintenance.hold on SeiNode %s to go on without it"
        .formatted(node.whyDown(), node.name());
  }
}
