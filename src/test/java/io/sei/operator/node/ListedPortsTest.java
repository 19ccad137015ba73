package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.sei.operator.testkit.ChainSimulator.Fault;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ports of APIs that a version of seid has not, by the list of releases. */
class ListedPortsTest extends NodeTestCase {

  private static final int GRPC = 9090;
  private static final int REST = 1317;
  private static final int RPC = 26657;

  @Tag("long")
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

  @Test
  void aConfigMapExtendsTheListAndABrokenOneLosesNothing() {
    chain.chain().version("v6.9.0");
    createRunning();
    awaitAnotherLookAtNodes();
    assertThat(service().getSpec().getPorts()).extracting(ServicePort::getPort).contains(GRPC);

    store("releases:\n- {version: v6.9.0, source: here}\n");
    restartWithList();
    eventually(() -> assertThat(events("sei-releases", "ReleaseListInvalid")).hasSize(1));
    assertThat(operator.scrape()).contains("sei_release_list_invalid 1.0");
    assertThat(events("sei-releases", "ReleaseListInvalid").getFirst().getMessage())
        .contains("line 2: releases[0] source must be an https:// URL");
    assertThat(service().getSpec().getPorts()).extracting(ServicePort::getPort).contains(GRPC);

    store(
        """
        releases:
        - version: v6.9.0
          source: https://example.org/v6.9.0
          ports: [{number: 1317, name: REST, change: Removed}]
        """);
    restartWithList();

    eventually(
        () ->
            assertThat(service().getSpec().getPorts())
                .extracting(ServicePort::getPort)
                .contains(RPC)
                .doesNotContain(GRPC, REST));
    assertThat(operator.scrape()).contains("sei_release_list_invalid 0.0");
  }

  private void store(String releases) {
    client
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName("sei-releases")
                .withNamespace(namespace)
                .endMetadata()
                .withData(Map.of("releases.yaml", releases))
                .build())
        .serverSideApply();
  }

  private void restartWithList() {
    operator.with("POD_NAMESPACE", namespace).restart();
  }

  private Service service() {
    return read(Service.class, NODE);
  }
}
