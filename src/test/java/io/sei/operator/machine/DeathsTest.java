package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Why a seid died, where the end of its log as a real kubelet keeps it does not say. */
@Execution(ExecutionMode.CONCURRENT)
class DeathsTest extends MachineTestCase {

  @Test
  void errorIsQuotedAndNotTheUsageThatFollowsIt() {
    createNode(Chain.V1_USAGE.image());

    eventually(() -> assertThat(condition("Stalled")).isEqualTo("True/CrashLoop"));

    assertThat(message("Stalled"))
        .contains("exit code 1: Error: unknown pruning strategy sometimes; see kubectl logs");
    assertThat(seid("status.containerStatuses", "lastState.terminated.message"))
        .as("what the kubelet keeps")
        .doesNotContain("Error: ")
        .contains("--");
  }
}
