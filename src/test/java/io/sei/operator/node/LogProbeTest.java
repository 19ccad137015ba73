package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.node.model.LogAccess;
import io.sei.operator.node.model.NodePass;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogProbeTest {

  private static final UpgradeStatus V2 =
      UpgradeStatus.scheduled(new Upgrade("v2", 100L, "sei:v2", null));
  private static final Instant LATER = NOW.plus(Duration.ofMinutes(10));

  private final AtomicInteger reads = new AtomicInteger();
  private final ExecutorService readers = Executors.newSingleThreadExecutor();
  private final LogProbe probe =
      new LogProbe(this::read, new PerObjectState<>(), (owner, read) -> readers.execute(read));
  private volatile KubernetesClientException answer;

  @AfterEach
  void stop() {
    readers.shutdownNow();
  }

  @Test
  void whatIsGrantedIsAskedForOnceForEachPod() {
    awaitSaid(pod("1"), LogAccess.GRANTED);

    look(pod("1"), LATER, V2);
    awaitSaid(pod("2"), LogAccess.GRANTED);

    assertThat(reads).hasValue(2);
  }

  @Test
  void refusalIsToldAndAskedForAgain() {
    answer = new KubernetesClientException("no rights here", 403, null);
    awaitSaid(pod("1"), LogAccess.refused("no rights here"));
    assertThat(look(pod("1"), NOW.plusSeconds(599), V2).recheck()).contains(Duration.ofSeconds(1));
    assertThat(reads).hasValue(1);

    answer = null;
    assertThat(look(pod("1"), LATER, V2).logAccess().isKnown())
        .as("what is known holds meanwhile")
        .isTrue();

    awaitSaid(pod("1"), LogAccess.GRANTED);
  }

  @Test
  void failureSaysNothing() {
    answer = new KubernetesClientException("the kubelet is away", 500, null);

    look(pod("1"), NOW, V2);

    await().untilAsserted(() -> assertThat(look(pod("1"), NOW, V2).recheck()).isPresent());
    assertThat(look(pod("1"), NOW, V2).logAccess()).isEqualTo(LogAccess.UNKNOWN);
  }

  @Test
  void nobodyIsAskedWithoutAnUpgradeAheadOrALog() {
    look(pod("1"), NOW);
    look(aPod(aNode("sei:a")).build(), NOW, V2);

    awaitSaid(pod("2"), LogAccess.GRANTED);
    assertThat(reads).hasValue(1);
  }

  private void awaitSaid(Pod pod, LogAccess access) {
    await().untilAsserted(() -> assertThat(look(pod, NOW, V2).logAccess()).isEqualTo(access));
  }

  private NodePass look(Pod pod, Instant now, UpgradeStatus... upgrades) {
    NodePass pass =
        aNode("sei:a")
            .running()
            .status(status -> status.withUpgrades(List.of(upgrades)))
            .withPod(pod)
            .now(now)
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
    return aPod(aNode("sei:a")).uid(uid).status("seid", it -> it.imageId("sei@sha256:1")).build();
  }
}
