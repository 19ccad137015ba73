package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.ExpectedSequences;
import io.sei.operator.testkit.PodSequences;
import io.sei.operator.testkit.machine.Chain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What a real kubelet says of our pods. The simulated one has to say the same: {@code
 * KubeletSequencesTest} compares it with the same files.
 */
@Execution(ExecutionMode.CONCURRENT)
class KubeletOnMachineTest extends MachineTestCase {

  @Test
  void rollIsToldAsRecorded() {
    try (var pods = new PodSequences(machine.client(), namespace, POD)) {
      createNode(Chain.V1.image());
      awaitReady();
      String first = podUid();

      editImage(Chain.V2.image());
      eventually(() -> assertThat(podUid()).isNotEqualTo(first));
      awaitReady();

      eventually(() -> ExpectedSequences.of("roll").assertAgree(pods.said()));
    }
  }

  @Test
  void crashLoopIsToldAsRecorded() {
    try (var pods = new PodSequences(machine.client(), namespace, POD)) {
      createNode(Chain.V1_HALTING.image());
      eventually(() -> assertThat(restarts()).isGreaterThanOrEqualTo(3));

      eventually(() -> ExpectedSequences.of("crash-loop").assertAgree(pods.said()));
    }
  }
}
