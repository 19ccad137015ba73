package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.StoredBeforeRules;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Specs that were stored before the rule that they break. */
@ExclusiveControlPlane
class InvalidFleetTest extends FleetTestCase implements StoredBeforeRules {

  @Test
  void anInvalidSpecIsNamedLeavesNodesAloneAndCanBeMended() {
    createReady(2);
    List<List<String>> before = podUids(2);

    breakIt(
        "{'spec':{'updateStrategy':{'type':'InPlace','inPlace':{'maxUnavailable':0}}}}",
        "spec.updateStrategy.inPlace.maxUnavailable");
    breakIt(
        "{'spec':{'updateStrategy':{'inPlace':{'maxUnavailable':'0%'}}}}",
        "spec.updateStrategy.inPlace.maxUnavailable");
    patch("{'metadata':{'annotations':{'sei.io/explain':'1'}}}");
    eventually(
        () ->
            assertThat(status().explain().summary())
                .startsWith("nothing restarts, the spec is invalid: spec.updateStrategy.inPlace"));
    patch("{'spec':{'updateStrategy':null}}");
    awaitUpToDate(2, A);
    assertThat(status().explain().summary()).isEqualTo("nothing restarts");
    breakIt("{'spec':{'template':{'spec':{'archive':{}}}}}", "spec.template.spec");
    breakIt(
        "{'spec':{'template':{'spec':{'archive':null,'fullNode':null,'validator':{"
            + "'signingKey':{'secret':{'secretName':'s'}},'nodeKey':{'secret':{'secretName':'n'}}"
            + "}}}}}",
        "spec.replicas");
    assertThat(podUids(2)).isEqualTo(before);
    assertThat(specImages()).containsOnly(A);
    assertThat(status().updated()).isEqualTo("0/2");
    kubelet.injectForImage(A, PodFault.CRASH_LOOP);
    eventually(() -> assertThat(status().readyReplicas()).isZero());
    kubelet.clearAll();
    eventually(() -> assertThat(status().readyReplicas()).isEqualTo(2));

    patch(
        "{'spec':{'template':{'spec':{'validator':null,'fullNode':{},'image':'%s'}}}}"
            .formatted(B));

    awaitUpToDate(2, B);
  }

  private void breakIt(String patch, String field) {
    patch(patch);
    eventually(
        () -> {
          for (var type : List.of(FleetConditionType.READY, FleetConditionType.UP_TO_DATE)) {
            assertCondition(type, ConditionStatus.FALSE, StallReason.INVALID_SPEC);
            assertThat(condition(type).message()).contains(field);
          }
          assertThat(status().phase()).isEqualTo(FleetPhase.DEGRADED);
          assertThat(status().reason()).isEqualTo(StallReason.INVALID_SPEC.toString());
        });
  }

  /** A fleet of hundreds of nodes may have no room for its report on them. */
  @Tag("long")
  @Test
  void aFleetWithoutRoomForItsStatusSaysSoAndGoesOnOnceThereIs() {
    operatorBehindADoor().start();
    door.inject(
        request -> request.method().equals("PATCH") && request.path().endsWith("/status"),
        ApiFault.error(413, "RequestEntityTooLarge"));
    create(fleetSpec(1, A));

    eventually(() -> assertThat(events(FLEET, "StatusTooLarge")).hasSize(1));
    assertThat(events(FLEET, "StatusTooLarge").get(0).getMessage())
        .contains("SeiNodeDeployment", "smaller");
    door.heal();

    awaitUpToDate(1, A);
  }
}
