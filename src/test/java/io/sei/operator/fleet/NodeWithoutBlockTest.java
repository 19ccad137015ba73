package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.controlplane.ComponentProcess;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sends no client to a node at height 0, though its seid reports that it is not behind. */
class NodeWithoutBlockTest extends FleetTestCase {

  private static final String INTERNAL = FLEET + "-internal";

  private ComponentProcess slices;

  @BeforeEach
  void startEndpointSlices() {
    slices = controlPlane.startController("endpointslice");
  }

  @AfterEach
  void stopEndpointSlices() {
    slices.kill();
  }

  @Tag("long")
  @Test
  void theServiceOfAFleetLeadsToNodesThatHaveABlock() {
    kubelet.inject(namespace, FLEET + "-1-0", PodFault.NO_BLOCK);
    create(fleetSpec(2, A));

    eventually(
        () ->
            assertThat(served(INTERNAL))
                .containsOnly(entry(FLEET + "-0-0", true), entry(FLEET + "-1-0", false)));
    eventually(
        () ->
            assertThat(served(FLEET + "-1"))
                .as("peers reach it")
                .containsOnly(entry(FLEET + "-1-0", true)));
    awaitRunning(1);
    stays(() -> assertThat(served(INTERNAL)).containsEntry(FLEET + "-1-0", false));
    assertThat(nodeCondition(1, NodeConditionType.READY).status()).isEqualTo(ConditionStatus.FALSE);
    assertThat(status().readyReplicas()).isEqualTo(1);

    kubelet.clear(namespace, FLEET + "-1-0");

    eventually(() -> assertThat(served(INTERNAL)).containsEntry(FLEET + "-1-0", true));
    awaitUpToDate(2, A);
  }

  private void awaitRunning(int ordinal) {
    eventually(
        () ->
            assertThat(nodeCondition(ordinal, NodeConditionType.UP_TO_DATE).status())
                .isEqualTo(ConditionStatus.TRUE));
  }

  /** The pods that a Service leads to, and whether they get its requests. */
  private Map<String, Boolean> served(String service) {
    return client
        .resources(EndpointSlice.class)
        .inNamespace(namespace)
        .withLabel("kubernetes.io/service-name", service)
        .list()
        .getItems()
        .stream()
        .flatMap(slice -> slice.getEndpoints().stream())
        .collect(
            Collectors.toMap(
                endpoint -> endpoint.getTargetRef().getName(), NodeWithoutBlockTest::serves));
  }

  private static boolean serves(Endpoint endpoint) {
    return endpoint.getConditions().getReady();
  }
}
