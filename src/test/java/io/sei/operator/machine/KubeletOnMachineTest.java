package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.ExpectedSequences;
import io.sei.operator.testkit.PodSequences;
import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Manifests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Records the statuses that a real kubelet writes of our pods. The simulated one has to write the
 * same: {@code KubeletSequencesTest} compares it with the same files.
 */
@Execution(ExecutionMode.CONCURRENT)
class KubeletOnMachineTest extends MachineTestCase {

  /** The default one does not know the task. */
  private static final String RESTARTING_SIDECAR =
      "  sidecar: {image: 'ghcr.io/sei-protocol/seictl:v0.0.70'}\n";

  /**
   * Request that a sidecar accepts from the loopback interface of its pod, which its proxy uses.
   */
  private static final String RESTART =
      """
      body='{"type":"restart-seid"}'
      exec 3<>/dev/tcp/127.0.0.1/7777
      printf 'POST /v0/tasks HTTP/1.0\\r\\nX-Remote-User: test\\r\\nContent-Length: %d\\r\\n\\r\\n%s' \
        "${#body}" "$body" >&3
      read -r line <&3 && [[ $line == *' 201 '* ]]
      """;

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

  @Test
  void restartsBySidecarAreToldAsRecorded() {
    try (var pods = new PodSequences(machine.client(), namespace, POD)) {
      apply(Manifests.node(NODE, Chain.V1.image()) + RESTARTING_SIDECAR);
      awaitReady();

      for (int restart = 1; restart <= 2; restart++) {
        kubectl("exec", POD, "-c", "seid", "--", "/bin/bash", "-c", RESTART);
        int restarts = restart;
        eventually(() -> assertThat(restarts()).isEqualTo(restarts));
        eventually(
            () ->
                assertThat(container("status.containerStatuses", "seid", "ready"))
                    .isEqualTo("true"));
      }

      eventually(() -> ExpectedSequences.of("restart").assertAgree(pods.said()));
    }
  }
}
