package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Specs that cannot be worked with are named and harm no node. */
class FleetSpecTest extends FleetTestCase {

  @ParameterizedTest
  @ValueSource(ints = {0, 101})
  void theSchemaRefusesFleetsOfNoSize(int replicas) {
    assertThatThrownBy(() -> create(fleetSpec(replicas, A)))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("spec.replicas");
  }

  @Test
  void theSchemaRefusesAnEmptyImage() {
    assertThatThrownBy(() -> create(fleetSpec(1, "")))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("spec.template.spec.image");
  }

  @Test
  void whatIsNotSupportedIsSaid() {
    createReady(1);
    assertCondition(
        FleetConditionType.NETWORKING_READY,
        ConditionStatus.FALSE,
        FleetReason.NETWORKING_DISABLED);
    assertCondition(
        FleetConditionType.GENESIS_CEREMONY_COMPLETE,
        ConditionStatus.FALSE,
        FleetReason.NOT_APPLICABLE);

    patch("{'spec':{'networking':{'http':{}}}}");

    eventually(
        () ->
            assertCondition(
                FleetConditionType.NETWORKING_READY,
                ConditionStatus.FALSE,
                FleetReason.NOT_SUPPORTED));
    assertThat(pods(0)).hasSize(1);
  }
}
