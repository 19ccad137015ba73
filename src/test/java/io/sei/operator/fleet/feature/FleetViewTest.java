package io.sei.operator.fleet.feature;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import org.junit.jupiter.api.Test;

class FleetViewTest {

  @Test
  void nodesAreWorkedOutOnceInEachView() {
    FleetView view = aFleet(1, A).ready().view();

    assertThat(view.fleet()).isSameAs(view.fleet());
    assertThat(view.withStored(SeiNodeDeploymentStatus.empty()).fleet())
        .isNotSameAs(view.fleet())
        .isEqualTo(view.fleet());
  }
}
