package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.testkit.controlplane.ControlPlane;
import org.junit.jupiter.api.Test;

/** Specs that cannot be worked with are refused by name. */
class FleetSpecTest extends FleetTestCase {

  /** Starts no operator, which no test here needs. */
  @Override
  protected void startOperator() {
    operatorAs(controlPlane.config(ControlPlane.OPERATOR));
  }

  @Test
  void theSchemaRefusesFleetsOfNoSizeAndAnEmptyImage() {
    assertRefused(fleetSpec(0, A), "spec.replicas");
    assertRefused(fleetSpec(101, A), "spec.replicas");
    assertRefused(fleetSpec(1, ""), "spec.template.spec.image");
  }

  private void assertRefused(SeiNodeDeploymentSpec spec, String field) {
    assertThatThrownBy(() -> create(spec))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining(field);
  }
}
