package io.sei.operator.node.config;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SidecarStatus;
import io.sei.operator.api.v1alpha1.UnreadConfig;
import io.sei.operator.diagnosis.SeidState;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodDeletion;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.PodSample;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordedRestartTest {

  private static final SidecarClient UNUSED =
      (SidecarClient)
          Proxy.newProxyInstance(
              SidecarClient.class.getClassLoader(),
              new Class<?>[] {SidecarClient.class},
              (proxy, method, arguments) -> {
                throw new AssertionError(method);
              });

  @Test
  void podIsDeletedOnlyOnceTheRunToEndIsStored() {
    Pod pod =
        aPod(aNode("sei:a").running())
            .container(Names.SIDECAR, "sidecar:old")
            .status(Names.SEID, seid -> seid.running().started(true).run("containerd://1"))
            .ready()
            .build();
    var old = new SidecarStatus("sidecar:old", null, List.of(SeidRestart.TYPE));
    NodePass pass =
        aNode("sei:a")
            .running()
            .status(status -> status.withSidecar(old))
            .withPod(pod)
            .sidecar(SidecarHealth.READY)
            .pass();
    String run = SeidState.of(pod).running().orElseThrow();
    var unread = new UnreadConfig(run, NOW, null, null, null);
    pass.update(status -> status.withUnreadConfig(unread));
    // Without an API, a delete would fail.
    var restart = new SeidRestart(new PodDeletion(null, null), new Vetoes(List.of()));

    assertThat(restart.run(null, pass, Optional.of(UNUSED))).isEqualTo(TaskOutcome.recording());
  }

  /**
   * A plan that cannot reach the sidecar stalls; a request that waits for the sidecar would keep
   * the node in flight without end.
   */
  @ParameterizedTest(name = "Ready {0}, sidecar {1}: request is taken {2}, for the run {3}")
  @CsvSource({
    "true,  READY,       true,  true",
    "true,  NOT_READY,   true,  true",
    "true,  UNREACHABLE, true,  true",
    "true,  FORBIDDEN,   true,  true",
    "true,  ,            true,  true",
    "false, READY,       true,  true",
    "false, NOT_READY,   true,  false",
    "false, UNREACHABLE, false, false",
    "false, FORBIDDEN,   false, false",
  })
  void requestEndsTheRunOfAReadyPodWhateverItsSidecarAnswers(
      boolean isReady, SidecarHealth health, boolean isTaken, boolean endsRun) {
    PodSample pod =
        aPod(aNode("sei:a").running())
            .status(Names.SEID, seid -> seid.running().started(true).run("containerd://1"));
    NodePass pass =
        aNode("sei:a")
            .running()
            .annotation(Annotations.SEID_RESTART, "id")
            .withPod(isReady ? pod.ready() : pod)
            .sidecar(health)
            .pass();

    new ConfigRestart(UNUSED, null, false).observe(pass);

    assertThat(pass.draft().seidRestart()).isEqualTo(isTaken ? "id" : null);
    assertThat(UnreadRun.isRequested(pass.draft().unreadConfig())).isEqualTo(endsRun);
  }
}
