package io.sei.operator.fleet.status;

import static io.sei.operator.fleet.SnapshotBuilder.A;
import static io.sei.operator.fleet.SnapshotBuilder.held;
import static io.sei.operator.fleet.SnapshotBuilder.paused;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeSummary;
import io.sei.operator.fleet.Fleets;
import io.sei.operator.fleet.SnapshotBuilder;
import io.sei.operator.fleet.model.FleetPass;
import io.sei.operator.fleet.volume.DataVolumesAtRisk;
import org.junit.jupiter.api.Test;

/** What a fleet says of each of its nodes. */
class NodeSummaryTest {

  @Test
  void whoeverKeepsANodeOutOfServiceIsNamed() {
    var fleet =
        new SnapshotBuilder(3, A)
            .child(0, A, held())
            .child(1, A, paused())
            .child(2, A, SnapshotBuilder.atRisk());

    assertThat(FleetStatus.of(new FleetPass(fleet.build(), live -> live), Fleets.FEATURES).nodes())
        .extracting(NodeSummary::reason)
        .containsExactly("NodeHeld", "NodePaused", "DataVolumeAtRisk");
  }

  @Test
  void nodeWhoseDataIsAtRiskIsNamedThoughItIsNotWantedAnyMore() {
    var fleet = new SnapshotBuilder(1, A).child(0, A).child(1, A, SnapshotBuilder.atRisk());

    assertThat(DataVolumesAtRisk.of(fleet.build()))
        .contains("fleet-1: the claim is being deleted; scaling down waits because of this");
  }
}
