package io.sei.operator.task;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetView;
import java.util.List;

/** Answers to tests of other packages whether a task may restart seid of a node. */
public final class RestartAdmission {

  private RestartAdmission() {}

  public static boolean isGiven(FleetView fleet, FleetNode asking) {
    List<SeiNode> nodes = fleet.wanted().map(FleetView.Child::node).toList();
    List<Pod> pods =
        fleet.fleet().stream()
            .filter(FleetNode::isReady)
            .map(node -> ready(node.name() + "-0"))
            .toList();
    return FleetBudget.of(
            fleet.deployment(),
            nodes,
            pods,
            fleet.child(asking.ordinal()).orElseThrow(),
            n -> false)
        .obstacle(asking.isReady())
        .isEmpty();
  }

  private static Pod ready(String name) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewStatus()
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .endCondition()
        .endStatus()
        .build();
  }
}
