package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Manifests;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Three Kubernetes nodes, and where the pods of a fleet are. */
class SpreadOnThreeMachinesTest extends ClusterTestCase {

  private static final String FLEET = "fleet";
  private static final List<String> PODS = List.of("fleet-0-0", "fleet-1-0", "fleet-2-0");

  @Test
  void fleetOfThreeHasANodeOnEachMachine() {
    apply(Manifests.fleet(FLEET, Chain.V1.image()).replace("replicas: 2", "replicas: 3"));

    PODS.forEach(pod -> awaitHeight(pod, 2));

    assertThat(machinesOfPods().keySet()).containsExactlyInAnyOrderElementsOf(PODS);
    assertThat(machinesOfPods().values()).doesNotHaveDuplicates();
  }
}
