package io.sei.operator.fleet.disruption;

import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetView;
import java.util.List;

/**
 * Feature that takes nodes of a fleet down. {@link Disruptions} says what it waits for; the feature
 * itself chooses the nodes, records that choice and takes them down. The methods here decide by the
 * view alone.
 */
public interface DisruptionSource {

  /** Its name, and its place in the order. */
  Disruption disruption();

  /**
   * Nodes that the source has taken down, or is about to, and that are not done yet. A node whose
   * seid a scheduled task is about to end is in flight too, for no source.
   */
  List<FleetNode> inFlight(FleetView view);

  /**
   * Returns whether the source goes on without help, also between two admissions. Later sources
   * wait for that; once the source is stalled they go on within the budget, in which its nodes
   * count.
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
