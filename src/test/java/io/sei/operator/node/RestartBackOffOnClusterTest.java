package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.KubeletTiming;
import io.sei.operator.testkit.SidecarVersion;
import io.sei.operator.testkit.samples.SeidDeaths;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The kubelet backs off for longer than the minute that a replacement may take. */
class RestartBackOffOnClusterTest extends ConfigTestCase {

  @BeforeEach
  void kubeletThatBacksOffForMinutes() {
    sidecar.version(SidecarVersion.V0_0_70);
    kubelet.close();
    KubeletTiming fast = KubeletTiming.fast();
    kubelet =
        KubeletSimulator.inNamespace(
            client,
            sidecar,
            namespace,
            new KubeletTiming(
                fast.start(), fast.termination(), Duration.ofMinutes(2), fast.heartbeat()));
  }

  @Test
  void correctedConfigurationIsReadByANewPod() {
    createRunning();
    kubelet.inject(namespace, POD, configInvalid().fault());
    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, StallReason.CONFIG_INVALID);

    patch("{'spec':{'overrides':{'mempool.size':'10'}}}");

    eventually(() -> assertThat(images()).containsExactly(A, A));
    kubelet.clear(namespace, POD);
    awaitUpToDate(A);
    assertThat(podDeletes()).isEqualTo(1);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
  }

  @Tag("long")
  @Test
  void secondChangeIsReportedAndWaitsOnACordonedMachine() {
    createRunning();
    client
        .nodes()
        .withName(kubelet.nodeName())
        .edit(
            node -> {
              node.getSpec().setUnschedulable(true);
              return node;
            });
    change(1);
    awaitUpToDate(A);

    change(2);

    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, NodeReason.RESTART_BACK_OFF);
    assertThat(condition(NodeConditionType.READY).message())
        .contains("seid was ended for a restart", "starts it again at");
    stays(() -> assertThat(images()).containsExactly(A));
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
    assertThat(podDeletes()).isZero();
  }

  private void change(int size) {
    patch("{'spec':{'overrides':{'mempool.size':'%d'}}}".formatted(size));
    eventually(() -> assertThat(executions("restart-seid")).isEqualTo(size));
  }

  private static SeidDeaths.Death configInvalid() {
    return SeidDeaths.causes()
        .filter(death -> death.reason() == StallReason.CONFIG_INVALID)
        .filter(death -> death.line().contains("Config validation failed"))
        .findFirst()
        .orElseThrow();
  }
}
