package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The loss of a machine changes the status of its Ready pods only. */
class MachineRecheckTest {

  private final LiveEvidence live =
      new LiveEvidence(
          null,
          new KubernetesNodes(null, Clock.systemUTC()),
          new ProgressDeadline(Duration.ofMinutes(10)),
          new PerObjectState<>(),
          Clock.systemUTC());

  @Test
  void machineOfAPodThatIsNotReadyIsThoughtOfEveryMinute() {
    assertThat(recheckOf(aNode("sei:a").running().withPod()))
        .isLessThanOrEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void machineOfAReadyPodIsNotThoughtOf() {
    assertThat(recheckOf(aNode("sei:a").running().withReadyPod())).isNull();
  }

  private Duration recheckOf(NodeSample node) {
    NodePass pass = node.pass();
    Pod bound =
        new PodBuilder(pass.view().livePod().orElseThrow())
            .editSpec()
            .withNodeName("machine-1")
            .endSpec()
            .build();
    live.ofKubernetesNode(pass, bound);
    return pass.recheck().orElse(null);
  }
}
