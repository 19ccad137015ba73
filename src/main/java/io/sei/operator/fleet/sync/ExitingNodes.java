package io.sei.operator.fleet.sync;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.fleet.model.FleetFeature;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetPass;
import io.sei.operator.fleet.model.FleetReport;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * Counts a node whose seid a task is about to end as one that is being taken down, so that the
 * fleet takes down no other beyond its budget. The task itself waits for no budget: its height is
 * the chain's.
 *
 * @param exitsSoon whether a task is about to end a node's seid
 */
public record ExitingNodes(Predicate<SeiNode> exitsSoon) implements FleetFeature {

  /** A task that ends or is deleted wakes no fleet. */
  private static final Duration RECHECK = Duration.ofSeconds(15);

  /** A node that is down or stalled counts as that, and is not kept from what may bring it back. */
  @Override
  public FleetNode seen(FleetNode view, SeiNode node, SeiNodeDeploymentStatus fleet) {
    boolean isToBeMissed = view.isReady() && view.stall() == null && exitsSoon.test(node);
    return isToBeMissed ? view.withSwitching(true) : view;
  }

  @Override
  public void report(FleetPass pass, FleetReport report) {
    if (pass.view().children().stream().anyMatch(child -> exitsSoon.test(child.node()))) {
      pass.recheckAfter(RECHECK);
    }
  }
}
