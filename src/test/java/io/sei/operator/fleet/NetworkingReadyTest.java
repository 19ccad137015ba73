package io.sei.operator.fleet;

import static io.sei.operator.fleet.InheritedNetworkingTest.service;
import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.Networking;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.testkit.samples.FleetSample;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The condition NetworkingReady of a fleet. */
class NetworkingReadyTest {

  @Test
  void networkingOfTheGoOperatorIsNamedAndNotClaimed() {
    FleetSample plain = aFleet(1, A).ready();
    FleetSample networked =
        aFleet(1, A)
            .ready()
            .spec(spec -> spec.withNetworking(new Networking(new Networking.Http(), null)));
    Consumer<FleetPass> inherits =
        reconcile ->
            reconcile.note(
                new InheritedObjects.Found(
                    InheritedNetworking.of(
                        reconcile.deployment(),
                        List.of(service("fleet-external", reconcile.deployment())),
                        List.of()),
                    Optional.of("forbidden")));

    assertThat(find(derive(plain, reconcile -> {}))).isEmpty();
    SeiNodeDeploymentStatus before = derive(networked, reconcile -> {});
    assertThat(says(derive(aFleet(1, A).status(status -> before), reconcile -> {})))
        .isEqualTo("False/NetworkingDisabled");
    assertThat(says(derive(networked, reconcile -> {}))).isEqualTo("False/NotSupported");
    for (FleetSample fleet : List.of(plain, networked)) {
      SeiNodeDeploymentStatus status = derive(fleet, inherits);
      assertThat(says(status)).isEqualTo("False/NotManaged");
      assertThat(condition(status).message())
          .contains(
              "created by the Go operator", "Service fleet-external", "API server says: forbidden");
    }
  }

  private static SeiNodeDeploymentStatus derive(FleetSample fleet, Consumer<FleetPass> what) {
    var reconcile = fleet.pass();
    what.accept(reconcile);
    return FleetStatus.of(reconcile, OfflineFleet.CONDITIONS);
  }

  private static String says(SeiNodeDeploymentStatus status) {
    return condition(status).status() + "/" + condition(status).reason();
  }

  private static Condition condition(SeiNodeDeploymentStatus status) {
    return find(status).orElseThrow();
  }

  private static Optional<Condition> find(SeiNodeDeploymentStatus status) {
    return Conditions.find(status.conditions(), FleetConditionType.NETWORKING_READY);
  }
}
