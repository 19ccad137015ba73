package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Machine;
import io.sei.operator.testkit.machine.Manifests;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Restarts for the configuration under the back-off that kubelets have by default: 10, 20, 40 and
 * 80 seconds from the second one on.
 */
@Tag("long")
class RestartBackOffOnMachineTest extends MachineTestCase {

  /** The default one does not know the task. */
  private static final String RESTARTING_SIDECAR =
      "  sidecar: {image: 'ghcr.io/sei-protocol/seictl:v0.0.70'}\n";

  @Test
  void eachChangeStartsSeidOnceAndALongBackOffIsNotWaitedFor() {
    assertThat(Machine.LONGEST_BACKOFF)
        .as("run this test with BACKOFF=300s, as make test-long does")
        .isEqualTo("300s");
    apply(Manifests.node(NODE, Chain.V1.image()) + RESTARTING_SIDECAR);
    awaitReady();
    try (var reasons = new ReadyReasons(machine.client(), namespace)) {
      for (int change = 1; change <= 3; change++) {
        change(change);
      }
      assertThat(restarts()).as("starts of seid after the first").isEqualTo(3);
      assertThat(podsEverCreated()).as("pods while the back-off is short").isEqualTo(1);
      assertThat(reasons.seen()).contains("RestartBackOff").doesNotContain("CrashLoop");
      assertThat(reasons.messages()).anyMatch(text -> text.contains("starts it again at 20"));

      change(4);
      change(5);

      assertThat(podsEverCreated()).as("pods once 80 s are longer than a pod").isEqualTo(2);
      assertThat(restarts()).as("starts of seid in the new pod after the first").isZero();
      assertThat(reasons.seen()).doesNotContain("CrashLoop");
    }
  }

  /** Waits until seid has started with the change. */
  private void change(int size) {
    String before = seid("status.containerStatuses", "containerID");
    patch("{\"spec\":{\"overrides\":{\"mempool.size\":\"%d\"}}}".formatted(size));
    eventually(
        () -> {
          assertThat(seid("status.containerStatuses", "containerID")).isNotEqualTo(before);
          assertThat(condition("UpToDate")).startsWith("True/");
          assertThat(condition("Ready")).startsWith("True/");
        });
  }
}
