package io.sei.operator.fleet.model;

import static io.sei.operator.fleet.SnapshotBuilder.A;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.fleet.SnapshotBuilder;
import org.junit.jupiter.api.Test;

class FleetViewTest {

  @Test
  void nodesAreWorkedOutOnceInEachView() {
    FleetView view = new SnapshotBuilder(1, A).child(0, A).build();

    assertThat(view.fleet()).isSameAs(view.fleet());
    assertThat(view.withStored(SeiNodeDeploymentStatus.empty()).fleet())
        .isNotSameAs(view.fleet())
        .isEqualTo(view.fleet());
  }
}
