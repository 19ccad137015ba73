package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.sei.operator.testkit.ChainSimulator.Fault;
import org.junit.jupiter.api.Test;

/** The port of an API that seid v6.8 has removed. */
class GrpcPortTest extends NodeTestCase {

  private static final int GRPC = 9090;
  private static final int RPC = 26657;

  @Test
  void theServiceLosesThePortOnceASeidRunsThatDoesNotServeIt() {
    createRunning();
    assertThat(service().getSpec().getPorts()).extracting(ServicePort::getPort).contains(GRPC, RPC);

    chain.chain().version("v6.8.0-rc2");
    setImage(B);
    awaitUpToDate(B);

    eventually(
        () ->
            assertThat(service().getSpec().getPorts())
                .extracting(ServicePort::getPort)
                .contains(RPC)
                .doesNotContain(GRPC));
    String written = service().getMetadata().getResourceVersion();
    chain.fault(namespace, NODE, Fault.HTML);
    operator.restart();
    annotate("touched", "yes");
    awaitAnotherLookAtNodes();
    assertThat(service().getMetadata().getResourceVersion()).isEqualTo(written);
  }

  private Service service() {
    return read(Service.class, NODE);
  }
}
