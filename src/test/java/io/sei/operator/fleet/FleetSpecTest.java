package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.KubernetesClientException;
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
}
