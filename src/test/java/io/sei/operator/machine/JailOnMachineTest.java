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
 * Validators of a chain that jails who does not sign: one that looks for its own signatures at each
 * start goes through an upgrade and waits them out, and one that was away comes back by a task.
 */
@Tag("long")
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class JailOnMachineTest extends MachineTestCase {

  private static final String FLEET = "net";
  private static final int HEIGHT = 60;
  private static final List<String> NODES = List.of("net-0", "net-1", "net-2", "net-3");
  private static final String OTHER = "net-0-0";
  private static final String CAUTIOUS = "net-1";
  private static final String AWAY = "net-3";

  /**
   * Nothing is jailed before the window is over; then every validator that has missed half of it.
   */
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
          overrides:
            upgrade_plans: [{name: v2, height: "%2$d", info: ""}]
            slashing.params.signed_blocks_window: "80"
            slashing.params.downtime_jail_duration: 1s
        template:
          spec:
            chainId: lab-1
            image: %3$s
            validator: {}
            sidecar: {image: "ghcr.io/sei-protocol/sei-sidecar:186d65a"}
            upgrades: [{name: v2, height: %2$d, image: "%4$s"}]
            terminationGracePeriodSeconds: 20
            resources: {requests: {cpu: 10m, memory: 64Mi}}
      """
          .formatted(FLEET, HEIGHT, Chain.V1.image(), Chain.V2.image());

  private static final String LOOK =
      """
      file=/.sei/config/config.toml text=$(<$file)
      printf '%s\\n' "${text/double_sign_check_height = 0/double_sign_check_height = 10}" >$file
      """;

  private static final String UNJAIL =
      """
      apiVersion: sei.io/v1alpha1
      kind: SeiNodeTask
      metadata: {name: unjail}
      spec:
        kind: Unjail
        target: {nodeRef: {name: %s}}
        unjail: {chainId: lab-1, fees: 20000usei, gas: 300000}
      """
          .formatted(AWAY);

  @Test
  void oneWaitsOutItsOwnSignaturesInAnUpgradeAndAnotherIsUnjailedByATask() {
    apply(MANIFEST);
    NODES.forEach(node -> awaitHeight(node + "-0", 2));
    exec(CAUTIOUS, LOOK);

    NODES.forEach(node -> awaitHeight(node + "-0", HEIGHT + 10));

    assertThat(field("seinodes", CAUTIOUS, "status.currentImage")).isEqualTo(Chain.V2.image());
    assertThat(field("seinodes", CAUTIOUS, "status.signingElsewhere")).isEmpty();
    assertThat(kubectl("logs", CAUTIOUS + "-0", "-c", "seid", "--previous"))
        .contains("found signature from the same key");
    awaitSigners(4);

    pause(AWAY, true);
    awaitSigners(3);
    pause(AWAY, false);
    awaitHeight(AWAY + "-0", awaitHeight(OTHER, 1));
    awaitSigners(3);
    recoverAccount(AWAY);
    apply(UNJAIL);
    awaitConfirmed("unjail");
    assertThat(field("seinodetasks", "unjail", "status.outputs.unjail.txHash")).isNotEmpty();
    awaitSigners(4);
  }

  private void awaitSigners(int count) {
    eventually(
        () -> assertThat(rpc(OTHER, "validators")).contains("\"total\":\"%d\"".formatted(count)));
  }

  private void pause(String node, boolean paused) {
    kubectl(
        "patch",
        "seinode",
        node,
        "--type=merge",
        "-p",
        "{\"spec\":{\"paused\":%b}}".formatted(paused));
  }

  private void exec(String node, String script) {
    kubectl("exec", node + "-0", "-c", "seid", "--", "/bin/bash", "-c", script);
  }
}
