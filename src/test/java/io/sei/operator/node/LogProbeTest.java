package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.node.feature.LogAccess;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.testkit.ManualExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LogProbeTest {

  private static final UpgradeStatus V2 =
      UpgradeStatus.scheduled(new Upgrade("v2", 100L, "sei:v2", null));

  private final AtomicInteger reads = new AtomicInteger();
  private final List<ResourceID> woken = new ArrayList<>();
  private final ManualExecutor<ResourceID> executor = ManualExecutor.eager(NOW);
  private final LogProbe probe =
      new LogProbe(this::read, executor.polling(new PerObjectState<>(woken::add)));
  private KubernetesClientException answer;

  @Test
  void grantedLogIsReadOnceForEachPod() {
    assertThat(access(pod("1"))).isEqualTo(LogAccess.GRANTED);

    executor.advance(Duration.ofHours(1));
    assertThat(access(pod("1"))).isEqualTo(LogAccess.GRANTED);
    assertThat(access(pod("2"))).isEqualTo(LogAccess.GRANTED);

    assertThat(reads).hasValue(2);
  }

  @Test
  void refusalIsShownAndTheLogReadAgainLater() {
    answer = new KubernetesClientException("no rights here", 403, null);
    assertThat(access(pod("1"))).isEqualTo(LogAccess.refused("no rights here"));
    executor.advance(Duration.ofMinutes(8));
    assertThat(access(pod("1"))).isEqualTo(LogAccess.refused("no rights here"));
    assertThat(reads).hasValue(1);

    answer = null;
    woken.clear();
    executor.advance(Duration.ofMinutes(2));

    assertThat(woken).hasSize(1);
    assertThat(access(pod("1"))).isEqualTo(LogAccess.GRANTED);
  }

  @Test
  void failureLeavesTheAccessUnknown() {
    answer = new KubernetesClientException("the kubelet is away", 500, null);

    assertThat(access(pod("1"))).isEqualTo(LogAccess.UNKNOWN);
    assertThat(woken).as("it was unknown before").isEmpty();
  }

  @Test
  void logIsReadOnlyBeforeAnUpgradeAndWhereThereIsOne() {
    look(pod("1"));
    look(aPod(aNode("sei:a")).build(), V2);

    assertThat(reads).hasValue(0);
  }

  private LogAccess access(Pod pod) {
    return look(pod, V2).logAccess();
  }

  private NodePass look(Pod pod, UpgradeStatus... upgrades) {
    NodePass pass =
        aNode("sei:a")
            .running()
            .status(status -> status.withUpgrades(List.of(upgrades)))
            .withPod(pod)
            .pass();
    probe.look(pass);
    return pass;
  }

  private void read(String namespace, String pod) {
    reads.incrementAndGet();
    if (answer != null) {
      throw answer;
    }
  }

  private static Pod pod(String uid) {
    return aPod(aNode("sei:a"))
        .uid(uid)
        .status("seid", sample -> sample.imageId("sei@sha256:1"))
        .build();
  }
}
