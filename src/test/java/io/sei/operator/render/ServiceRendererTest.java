package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.ServicePort;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServiceRendererTest {

  @Test
  void itGivesThePodADnsNameBeforeItIsReady() {
    var spec = new ServiceRenderer().render(Nodes.node(Nodes.full())).getSpec();

    assertThat(spec.getClusterIP()).isEqualTo("None");
    assertThat(spec.getPublishNotReadyAddresses()).isTrue();
    assertThat(spec.getSelector()).isEqualTo(Map.of("sei.io/node", "pacific-rpc-0"));
    assertThat(spec.getPorts())
        .extracting(ServicePort::getName, ServicePort::getPort, ServicePort::getAppProtocol)
        .containsExactly(
            tuple("evm-rpc", 8545, null),
            tuple("evm-ws", 8546, null),
            tuple("grpc", 9090, "kubernetes.io/h2c"),
            tuple("rest", 1317, null),
            tuple("p2p", 26656, null),
            tuple("rpc", 26657, null),
            tuple("metrics", 26660, null),
            tuple("api", 8443, null));
  }
}
