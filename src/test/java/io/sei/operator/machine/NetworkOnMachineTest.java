package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Validators make a chain of their own from one manifest, another node follows it, and all go
 * through its upgrade. That such a chain makes blocks {@code QuickstartOnMachineTest} shows, too.
 */
@Tag("long")
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class NetworkOnMachineTest extends MachineTestCase {

  private static final String FLEET = "net";
  private static final int HEIGHT = 60;
  private static final List<String> NODES = List.of("net-0", "net-1", "net-2", "net-3", "rpc");

  private static final String SPEC =
      """
      chainId: lab-1
      image: %s
      upgrades: [{name: v2, height: %d, image: "%s"}]
      peers: [{label: {selector: {sei.io/chain: lab-1}}}]
      terminationGracePeriodSeconds: 20
      resources: {requests: {cpu: 10m, memory: 64Mi}}
      """
          .formatted(Chain.V1.image(), HEIGHT, Chain.V2.image());

  /** The chain plans the upgrade from its first block on. */
  private static final String MANIFEST =
      """
      apiVersion: sei.io/v1alpha1
      kind: SeiNodeDeployment
      metadata: {name: %1$s}
      spec:
        replicas: 4
        genesis:
          chainId: lab-1
          accountBalance: 50000000usei
          overrides: {upgrade_plans: [{name: v2, height: "%2$d", info: ""}]}
        template:
          spec:
            validator: {}
      %3$s
      ---
      apiVersion: sei.io/v1alpha1
      kind: SeiNode
      metadata: {name: rpc}
      spec:
        fullNode: {}
        genesis: {configMap: {name: %1$s-genesis, key: genesis.json.gz}}
      %4$s
      """
          .formatted(FLEET, HEIGHT, SPEC.indent(6), SPEC.indent(2));

  @Test
  void makesBlocksAndGoesThroughItsUpgradeWithAllItsNodes() {
    apply(MANIFEST);

    NODES.forEach(node -> awaitHeight(node + "-0", 2));
    assertThat(condition("GenesisCeremonyComplete")).isEqualTo("True");
    assertThat(kubectl("get", "job", FLEET + "-genesis", "--ignore-not-found")).isEmpty();
    assertThat(rpc("rpc-0", "validators")).contains("\"total\":\"4\"");

    NODES.forEach(node -> awaitHeight(node + "-0", HEIGHT + 1));
    eventually(() -> assertThat(condition("UpToDate")).isEqualTo("True"));
    NODES.forEach(
        node ->
            assertThat(field("seinodes", node, "status.currentImage")).isEqualTo(Chain.V2.image()));
  }

  @Override
  protected String condition(String type) {
    return field(
        "seinodedeployments", FLEET, "status.conditions[?(@.type=='%s')].status".formatted(type));
  }
}
