package io.sei.operator.fleet;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FleetAvailableTest {

  @ParameterizedTest
  @CsvSource({
    "4, 4, , , True/MinimumNodesAvailable",
    "4, 3, , , True/MinimumNodesAvailable",
    "4, 2, , , False/MinimumNodesUnavailable",
    "4, 2, 50%, , True/MinimumNodesAvailable",
    "4, 0, 100%, , False/MinimumNodesUnavailable",
    "1, 0, , , False/MinimumNodesUnavailable",
    "0, 0, , , True/MinimumNodesAvailable",
    "2, 0, , true, False/Paused",
  })
  void aFleetIsAvailableWhileAsManyNodesServeAsARolloutLeaves(
      int replicas, int ready, String maxUnavailable, Boolean paused, String expected) {
    var limits =
        new UpdateStrategy.InPlace(
            maxUnavailable == null ? null : new IntOrString(maxUnavailable),
            null,
            null,
            null,
            null);
    var fleet =
        aFleet(replicas, A)
            .spec(
                spec ->
                    spec.withPaused(paused)
                        .withUpdateStrategy(new UpdateStrategy(null, limits, null)));
    for (int i = 0; i < replicas; i++) {
      fleet =
          i < ready ? fleet.child(i, A) : fleet.child(i, A, node -> node.unready("PodStarting"));
    }

    assertThat(
            FleetConditionsTest.says(
                FleetConditionsTest.derive(fleet, reconcile -> {}), "Available"))
        .isEqualTo(expected);
  }
}
