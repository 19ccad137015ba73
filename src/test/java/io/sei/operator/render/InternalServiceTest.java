package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The Service in front of a fleet is the Go operator's. */
class InternalServiceTest {

  static List<SeiNodeSpec> modes() {
    return List.of(Nodes.full(), Nodes.archive(), Nodes.validator(), Nodes.replayer());
  }

  @ParameterizedTest
  @MethodSource("modes")
  void itLeadsToReadyNodesOfTheFleetInEveryMode(SeiNodeSpec mode) {
    Service service = new ServiceRenderer().internal(fleet(spec(mode)));

    assertThat(service.getMetadata().getName()).isEqualTo("rpc-internal");
    assertThat(service.getMetadata().getNamespace()).isEqualTo("sei");
    assertThat(service.getMetadata().getLabels()).isEqualTo(Map.of("sei.io/nodedeployment", "rpc"));
    assertThat(service.getMetadata().getAnnotations())
        .isEqualTo(Map.of("sei.io/managed-by", "seinodedeployment"));
    assertThat(service.getMetadata().getOwnerReferences())
        .singleElement()
        .matches(owner -> owner.getUid().equals("uid") && owner.getController());
    assertThat(service.getSpec().getType()).isEqualTo("ClusterIP");
    assertThat(service.getSpec().getPublishNotReadyAddresses()).isFalse();
    assertThat(service.getSpec().getSelector()).isEqualTo(Map.of("sei.io/nodedeployment", "rpc"));
    assertThat(service.getSpec().getPorts())
        .extracting(
            ServicePort::getName,
            ServicePort::getPort,
            port -> port.getTargetPort().getIntVal(),
            ServicePort::getProtocol,
            ServicePort::getAppProtocol)
        .containsExactly(
            tuple("rpc", 26657, 26657, "TCP", null),
            tuple("evm-http", 8545, 8545, "TCP", null),
            tuple("rest", 1317, 1317, "TCP", null));
  }

  @Test
  void aRetainedFleetDoesNotOwnIt() {
    SeiNodeDeployment retained =
        fleet(spec(Nodes.full()).withDeletionPolicy(RetentionPolicy.RETAIN));

    assertThat(new ServiceRenderer().internal(retained).getMetadata().getOwnerReferences())
        .isEmpty();
  }

  private static SeiNodeDeploymentSpec spec(SeiNodeSpec mode) {
    return SeiNodeDeploymentSpecBuilder.builder()
        .replicas(1)
        .template(new NodeTemplate(null, mode))
        .build();
  }

  private static SeiNodeDeployment fleet(SeiNodeDeploymentSpec spec) {
    var fleet = Samples.fleet("sei", "rpc", spec);
    fleet.getMetadata().setUid("uid");
    return fleet;
  }
}
