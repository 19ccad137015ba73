package io.sei.operator.fleet.sync;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.fleet.model.FleetFeature;
import io.sei.operator.fleet.model.FleetNode;
import java.util.Optional;

/** PURE: a rollout that waits for a node whose seid starts asks nobody to bring it back. */
public record StartingNodes() implements FleetFeature {

  @Override
  public Optional<String> away(FleetNode node) {
    return node.stall() == null && NodeReason.STARTING.is(node.readyReason())
        ? Optional.of("starting, and goes on by itself")
        : Optional.empty();
  }
}
