package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Machine;
import io.sei.operator.testkit.machine.Worker;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A validator on a machine that is cut off while its containers run on, or that is off. Who signed
 * is read from the blocks of the chain, which goes on with the three others.
 */
class SecondSignerTest extends ClusterTestCase {

  /** Blocks that may still have a vote that left the machine before it was cut off. */
  private static final int UNDER_WAY = 5;

  /** Blocks that take some seconds, in which a second signer would have signed. */
  private static final int BLOCKS = 30;

  private final NetworkOnThreeMachines network = new NetworkOnThreeMachines(this::rpc);

  private String node;
  private String observer;
  private String address;

  @Test
  void forcedAndRestartedValidatorOfACutOffMachineDoesNotSignBeforeTheMachineIsBack() {
    startNetwork();
    String first = uid(pod(node));

    Worker lost = cutOffMachineOf(pod(node));
    int silentFrom = heightNow(observer) + UNDER_WAY;
    // At once, while Kubernetes still takes the machine for healthy: what a person does in a hurry.
    forceToAnotherMachine(first, lost);
    awaitSilent(lost);
    force(pod(node));
    machine.kubectl("-n", Machine.OPERATOR, "rollout", "restart", "deployment/" + Machine.OPERATOR);
    eventually(() -> assertThat(runsSidecar(pod(node))).isTrue());
    assertDoesNotSign(silentFrom);
    eventually(() -> assertThat(condition(node, "Ready")).endsWith("/NodeLost"));

    assertThat(lost.runs("seid")).as("the old pod's seid runs on").isTrue();

    restore();

    awaitHeight(pod(node), 1);
    assertThat(lost.runs("seid")).as("the old pod's seid runs beside the new one").isFalse();
    awaitSignature();
    eventually(() -> assertThat(condition(node, "Ready")).startsWith("True/"));
  }

  /** Types the commands of docs/machines.md for a validator whose pod was deleted by force. */
  @Test
  @Tag("long")
  void forcedValidatorOfAMachineThatIsOffSignsOnceAPersonNamesItsLastPod() {
    startNetwork();
    String first = uid(pod(node));
    Worker off = machine.worker(machinesOfPods().get(pod(node)));

    powerOff(off);
    int silentFrom = heightNow(observer) + UNDER_WAY;
    forceToAnotherMachine(first, off);
    assertDoesNotSign(silentFrom);
    assertThat(field("seinodes", node, "status.signingRecord.podUid")).isEqualTo(first);

    kubectl(
        "patch",
        "seisigningkey",
        field("seinodes", node, "status.signingRecord.name"),
        "--type=merge",
        "-p",
        "{\"spec\":{\"endedPodUid\":\"%s\"}}".formatted(first));

    awaitSignature();
  }

  /** Follows docs/runbooks/NodeLost.md; the volume has the signing state of the last signature. */
  @Test
  @Tag("long")
  void validatorOfAMachineThatIsTaintedOutOfServiceSignsOnAnother() {
    startNetwork();
    String first = uid(pod(node));
    Worker off = machine.worker(machinesOfPods().get(pod(node)));

    powerOff(off);
    awaitSilent(off);
    eventually(() -> assertThat(condition(node, "Ready")).endsWith("/NodeLost"));
    assertDoesNotSign(heightNow(observer));
    assertThat(uid(pod(node))).isEqualTo(first);
    taintOutOfService(off);

    eventually(
        () -> {
          assertThat(uid(pod(node))).isNotEqualTo(first);
          assertThat(machinesOfPods().get(pod(node))).isNotNull().isNotEqualTo(off.name());
        });
    awaitSignature();
  }

  /** Starts the chain, and chooses a validator alone on its machine and one that watches it. */
  private void startNetwork() {
    apply(NetworkOnThreeMachines.MANIFEST);
    NetworkOnThreeMachines.VALIDATORS.forEach(validator -> awaitHeight(pod(validator), 3));
    node = aloneOnItsMachine();
    observer = pod(observerOf(node));
    address = network.address(pod(node));
    assertThat(network.signedBy(address, observer, 2, awaitHeight(observer, 3) - 1)).isNotEmpty();
  }

  /** Deletes the pod by force, and waits until its successor runs its sidecar elsewhere. */
  private void forceToAnotherMachine(String first, Worker lost) {
    machine.kubectl("cordon", lost.name());
    force(pod(node));
    takeDiskAway(node);
    eventually(
        () -> {
          assertThat(uid(pod(node))).isNotEqualTo(first);
          assertThat(machinesOfPods().get(pod(node))).isNotNull().isNotEqualTo(lost.name());
          assertThat(runsSidecar(pod(node))).isTrue();
        });
  }

  /** Waits until the chain has a vote of the validator again, and none that contradicts another. */
  private void awaitSignature() {
    // The RPC of the new pod answers once its seid runs.
    awaitHeight(pod(node), 1);
    int back = heightNow(observer);
    eventually(
        () ->
            assertThat(network.signedBy(address, observer, back, heightNow(observer) - 1))
                .isNotEmpty());
    network.assertNoEvidence(observer, heightNow(observer));
  }

  private void assertDoesNotSign(int from) {
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
    attachments("data-" + node)
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
