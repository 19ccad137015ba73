package io.sei.operator.fleet.disruption;

import io.sei.operator.fleet.model.Disruption;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetView;
import java.util.List;

/**
 * PURE: a feature that takes nodes of a fleet down. {@link Disruptions} decides which of its
 * candidates may go; where the feature records that, and how it takes the node down, is its own.
 */
public interface DisruptionSource {

  /** Its name, and its place in the order. */
  Disruption disruption();

  /** Nodes that it has taken down, or is about to, and that are not done yet. */
  List<FleetNode> inFlight(FleetView view);

  /**
   * Whether a node in flight is expected to be done without help. Later sources wait for that; once
   * the source is stalled they go on within the budget, in which its nodes count.
   */
  default boolean isMakingProgress(FleetView view) {
    return inFlight(view).stream().anyMatch(DisruptionSource::isMakingProgress);
  }

  private static boolean isMakingProgress(FleetNode node) {
    return node.stall() == null
        && !node.paused()
        && !node.neverReady()
        && !node.unreadable()
        && !node.terminating();
  }
}
