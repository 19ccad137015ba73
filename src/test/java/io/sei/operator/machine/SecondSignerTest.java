package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Machine;
import io.sei.operator.testkit.machine.Worker;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A validator on a machine that is cut off while its containers run on. Who signed is read from the
 * blocks of the chain, which goes on with the three others.
 */
class SecondSignerTest extends ClusterTestCase {

  /** Blocks that take some seconds, in which a second signer would have signed. */
  private static final int BLOCKS = 25;

  private final NetworkOnThreeMachines network = new NetworkOnThreeMachines(this::rpc);

  @Test
  void forcedAndRestartedValidatorOfACutOffMachineDoesNotSignBeforeTheMachineIsBack() {
    apply(NetworkOnThreeMachines.MANIFEST);
    NetworkOnThreeMachines.VALIDATORS.forEach(node -> awaitHeight(pod(node), 3));
    String node = aloneOnItsMachine();
    String observer = pod(observerOf(node));
    String address = network.address(pod(node));
    assertThat(network.signedBy(address, observer, 2, awaitHeight(observer, 3) - 1)).isNotEmpty();
    String first = uid(pod(node));

    Worker lost = cutOffMachineOf(pod(node));
    // At once, while Kubernetes still takes the machine for healthy: what a person does in a hurry.
    machine.kubectl("cordon", lost.name());
    force(pod(node));
    takeDiskAway(node);
    int silentFrom = awaitHeight(observer, heightNow(observer) + 5);

    eventually(
        () -> {
          assertThat(uid(pod(node))).isNotEqualTo(first);
          assertThat(machinesOfPods().get(pod(node))).isNotNull().isNotEqualTo(lost.name());
          assertThat(runsSidecar(pod(node))).isTrue();
        });
    assertDoesNotSign(address, observer, silentFrom);
    awaitSilent(lost);
    force(pod(node));
    machine.kubectl("-n", Machine.OPERATOR, "rollout", "restart", "deployment/" + Machine.OPERATOR);
    eventually(() -> assertThat(runsSidecar(pod(node))).isTrue());
    assertDoesNotSign(address, observer, silentFrom);
    eventually(() -> assertThat(condition(node, "Ready")).endsWith("/NodeLost"));

    assertThat(lost.runs("seid")).as("the old pod's seid runs on").isTrue();

    restore();

    // The RPC of the new pod answers once its seid runs.
    awaitHeight(pod(node), 1);
    assertThat(lost.runs("seid")).as("the old pod's seid runs beside the new one").isFalse();
    int back = heightNow(observer);
    eventually(
        () ->
            assertThat(network.signedBy(address, observer, back, heightNow(observer) - 1))
                .isNotEmpty());
    network.assertNoEvidence(observer, heightNow(observer));
    eventually(() -> assertThat(condition(node, "Ready")).startsWith("True/"));
  }

  private void assertDoesNotSign(String address, String observer, int from) {
    int to = awaitHeight(observer, heightNow(observer) + BLOCKS) - 1;
    assertThat(network.signedBy(address, observer, from, to))
        .as("heights that the cut off validator signed, of %d to %d", from, to)
        .isEmpty();
  }

  /** A validator on a machine with no other one, and without the operator. */
  private String aloneOnItsMachine() {
    Map<String, String> machines = machinesOfPods();
    List<String> used = List.copyOf(machines.values());
    return NetworkOnThreeMachines.VALIDATORS.stream()
        .filter(node -> used.stream().filter(machines.get(pod(node))::equals).count() == 1)
        .filter(node -> !machines.get(pod(node)).equals(machineOfOperator()))
        .findFirst()
        .orElseThrow();
  }

  private String observerOf(String node) {
    return NetworkOnThreeMachines.VALIDATORS.stream()
        .filter(other -> !other.equals(node))
        .filter(other -> machinesOfPods().get(pod(other)).equals(machineOfOperator()))
        .findFirst()
        .orElseThrow();
  }

  private void force(String pod) {
    kubectl("delete", "pod", pod, "--force", "--grace-period=0");
  }

  /**
   * Detaches the disk from its machine though it is mounted there: a VolumeAttachment is deleted.
   */
  private void takeDiskAway(String node) {
    String volume = field("persistentvolumeclaims", "data-" + node, "spec.volumeName");
    machine.client().storage().v1().volumeAttachments().list().getItems().stream()
        .filter(
            attachment -> volume.equals(attachment.getSpec().getSource().getPersistentVolumeName()))
        .forEach(
            attachment ->
                machine.kubectl(
                    "delete",
                    "volumeattachment",
                    attachment.getMetadata().getName(),
                    "--wait=false"));
  }

  private boolean runsSidecar(String pod) {
    return !field(
            "pods",
            pod,
            "status.initContainerStatuses[?(@.name=='sei-sidecar')].state.running.startedAt")
        .isEmpty();
  }

  private static String pod(String node) {
    return node + "-0";
  }
}
