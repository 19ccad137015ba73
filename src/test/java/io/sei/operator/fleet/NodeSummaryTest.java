package io.sei.operator.fleet;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeSummary;
import io.sei.operator.fleet.disruption.DataVolumesAtRisk;
import io.sei.operator.testkit.samples.NodeSample;
import org.junit.jupiter.api.Test;

/** The list of nodes in the status of a fleet. */
class NodeSummaryTest {

  @Test
  void requestThatKeepsANodeOutOfServiceIsNamed() {
    var fleet =
        aFleet(3, A)
            .child(0, A, NodeSample::held)
            .child(1, A, NodeSample::paused)
            .child(2, A, NodeSample::atRisk);

    assertThat(FleetStatus.of(fleet.pass(), OfflineFleet.CONDITIONS).nodes())
        .extracting(NodeSummary::reason)
        .containsExactly("NodeHeld", "NodePaused", "DataVolumeAtRisk");
  }

  @Test
  void nodeWhoseDataIsAtRiskIsNamedThoughItIsNotWantedAnyMore() {
    var fleet = aFleet(1, A).child(0, A).child(1, A, NodeSample::atRisk);

    assertThat(DataVolumesAtRisk.of(fleet.view()))
        .contains("fleet-1: the claim is being deleted; scaling down waits because of this");
  }
}
