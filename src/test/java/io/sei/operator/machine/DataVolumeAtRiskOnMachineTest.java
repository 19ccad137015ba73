package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A user deletes the claim of a node that makes blocks, and another user updates the node. */
@Execution(ExecutionMode.CONCURRENT)
class DataVolumeAtRiskOnMachineTest extends MachineTestCase {

  private static final String V1 = Chain.V1.image();
  private static final String V2 = Chain.V2.image();
  private static final String CLAIM = "data-" + NODE;

  @Test
  void podAndDataStayUntilTheVolumeIsSavedByTheRunbook() {
    createNode(V1);
    awaitBlocks(V1);
    String pod = podUid();
    String volume = status("status.dataVolume.name");

    kubectl("delete", "pvc", CLAIM, "--wait=false");

    eventually(() -> assertThat(condition("DataVolumeAtRisk")).isEqualTo("True/ClaimTerminating"));
    // Another image alone ends no pod.
    editImage(V2);
    awaitBlocks(V2);
    assertThat(podUid()).isEqualTo(pod);
    patch("{\"spec\":{\"podLabels\":{\"a\":\"b\"}}}");
    eventually(() -> assertThat(condition("UpToDate")).isEqualTo("False/DataVolumeAtRisk"));
    int height = awaitHeight(POD, awaitHeight(POD, 1) + 5);
    assertThat(podUid()).isEqualTo(pod);
    assertThat(machine.client().pods().inNamespace(namespace).withName(POD).evict())
        .as("429")
        .isFalse();

    retainVolume(volume);
    assertThat(podUid()).isEqualTo(pod);
    kubectl("delete", "pod", POD, "--wait=false");
    kubectl("wait", "--for=delete", "pvc/" + CLAIM, "--timeout=3m");
    eventually(
        () -> assertThat(condition("DataVolumeAtRisk")).isEqualTo("True/DataVolumeReleased"));
    bindNewClaim(volume);

    awaitBlocks(V2);
    assertThat(awaitHeight(POD, 1)).as("not a chain that began anew").isGreaterThan(height);
    assertThat(condition("DataVolumeAtRisk")).isEqualTo("False/NotAtRisk");
    // A volume that was retained goes with nobody.
    kubectl("delete", "seinode", NODE);
    kubectl("wait", "--for=delete", "pvc/" + CLAIM, "--timeout=3m");
    machine.kubectl("delete", "pv", volume, "--wait=false");
  }
}
