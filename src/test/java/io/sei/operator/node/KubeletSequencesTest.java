package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.testkit.ExpectedSequences;
import io.sei.operator.testkit.PodSequences;
import org.junit.jupiter.api.Test;

/**
 * The simulated kubelet says of our pods what a real one was recorded to say; {@code
 * KubeletOnMachineTest} holds the recordings against a real one.
 */
class KubeletSequencesTest extends RolloutTestCase {

  @Test
  void rollIsToldAsByARealKubelet() {
    try (var pods = new PodSequences(client, namespace, POD)) {
      createRunning();
      awaitCondition(NodeConditionType.READY, ConditionStatus.TRUE, "PodReady");
      String first = podUid();

      setImage(B);
      awaitUpToDate(B);
      eventually(() -> assertThat(podUid()).isNotEqualTo(first));
      awaitCondition(NodeConditionType.READY, ConditionStatus.TRUE, "PodReady");

      eventually(() -> ExpectedSequences.of("roll").assertAgree(pods.said()));
    }
  }

  @Test
  void crashLoopIsToldAsByARealKubelet() {
    try (var pods = new PodSequences(client, namespace, POD)) {
      createRunning();
      kubelet.halt(namespace, POD, "v6.2", 190000000);

      eventually(() -> assertThat(restartsOfSeid()).isGreaterThanOrEqualTo(3));

      // The watch may be behind the read.
      eventually(() -> ExpectedSequences.of("crash-loop").assertAgree(pods.said()));
    }
  }

  private int restartsOfSeid() {
    return pod().getStatus().getContainerStatuses().stream()
        .filter(status -> status.getName().equals("seid"))
        .mapToInt(ContainerStatus::getRestartCount)
        .sum();
  }
}
