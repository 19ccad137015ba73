package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Manifests;
import io.sei.operator.testkit.machine.SnapshotStorage;
import io.sei.operator.testkit.machine.Worker;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The data of a full node on one machine, and the node that continues with it on another. */
@Tag("long")
class VolumeFollowsTest extends ClusterTestCase {

  private static final String IMAGE = Chain.V1_DIALS.image();
  private static final String CLAIM = "data-" + NODE;
  private static final String FIRST_BLOCK = "block?height=1";

  private static final String FROM_THE_FLEET =
      "dataVolume: {from: {volumeSnapshot: {selector: {matchLabels: {sei.io/nodedeployment: %s}}}}}\n"
          .formatted(FLEET);

  /** Without a peer, and with a key of its own, the new node makes no block. */
  @Test
  void newNodeContinuesOnAnotherMachineFromTheHeightOfASnapshot() {
    machine.startSnapshotStorage();
    Worker here = machine.workers().get(1);
    Worker there = machine.workers().get(2);
    createFleet(1, IMAGE, on(here));
    int before = awaitHeight(pod(0), 10);
    takeSnapshots(FLEET, SnapshotStorage.CLASS);
    String snapshot = awaitSnapshot(FLEET);
    int taken =
        Integer.parseInt(field("volumesnapshots", snapshot, "metadata.labels.sei\\.io/height"));
    assertThat(taken).isGreaterThanOrEqualTo(before);

    apply(Manifests.node(NODE, IMAGE) + (on(there) + FROM_THE_FLEET).indent(2));

    awaitHeight(POD, taken);
    assertThat(status("status.restoredFrom.volumeSnapshot")).isEqualTo(snapshot);
    awaitHeight(pod(0), taken + 1);
    assertThat(machinesOfPods()).containsEntry(pod(0), here.name());
    for (String block : List.of(FIRST_BLOCK, "block?height=" + taken)) {
      assertThat(rpc(POD, block)).isEqualTo(rpc(pod(0), block));
    }
    assertAttachedTo(there.name());
    follow(POD, pod(0));
  }

  /** Follows docs/runbooks/SeiDataVolumeAtRisk.md for a machine that is lost. */
  @Test
  void nodeWhoseClaimWasDeletedOnALostMachineContinuesOnAnotherByTheRunbook() {
    Worker off = createNodeWithoutTheOperator();
    String firstBlock = rpc(POD, FIRST_BLOCK);
    int height = heightNow(POD);
    String pod = podUid();
    String volume = status("status.dataVolume.name");
    powerOff(off);
    awaitSilent(off);
    eventually(() -> assertThat(condition("Ready")).isEqualTo("False/NodeLost"));

    kubectl("delete", "pvc", CLAIM, "--wait=false");

    eventually(() -> assertThat(condition("DataVolumeAtRisk")).isEqualTo("True/ClaimTerminating"));
    retainVolume(volume);
    assertThat(podUid()).isEqualTo(pod);
    taintOutOfService(off);
    eventually(
        () -> assertThat(condition("DataVolumeAtRisk")).isEqualTo("True/DataVolumeReleased"));
    assertThat(machine.client().persistentVolumeClaims().inNamespace(namespace).list().getItems())
        .as("an empty claim in place of the volume")
        .isEmpty();
    bindNewClaim(volume);

    awaitHeight(POD, height + 1);
    assertThat(rpc(POD, FIRST_BLOCK)).isEqualTo(firstBlock);
    assertThat(status("status.dataVolume.name")).isEqualTo(volume);
    assertThat(condition("DataVolumeAtRisk")).isEqualTo("False/NotAtRisk");
    assertThat(machinesOfPods().get(POD)).isNotEqualTo(off.name());
    assertAttachedTo(machinesOfPods().get(POD));
  }

  /** Creates a node on a machine that can be lost, and returns that machine. */
  private Worker createNodeWithoutTheOperator() {
    machine.kubectl("cordon", machineOfOperator());
    createNode(IMAGE);
    awaitHeight(POD, 10);
    return machine.worker(machinesOfPods().get(POD));
  }

  private static String on(Worker worker) {
    return "scheduling: {nodeSelector: {kubernetes.io/hostname: %s}}\n".formatted(worker.name());
  }

  private void assertAttachedTo(String worker) {
    assertThat(attachments(CLAIM))
        .singleElement()
        .satisfies(
            attachment -> {
              assertThat(attachment.getSpec().getNodeName()).isEqualTo(worker);
              assertThat(attachment.getStatus().getAttached()).isTrue();
            });
  }
}
