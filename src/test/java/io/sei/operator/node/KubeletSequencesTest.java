package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.testkit.Denials;
import io.sei.operator.testkit.ExpectedSequences;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.PodSequences;
import io.sei.operator.testkit.SidecarVersion;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares the statuses of the simulated kubelet with those recorded of a real one; {@code
 * KubeletOnMachineTest} holds the recordings against a real one.
 */
class KubeletSequencesTest extends RolloutTestCase {

  private static final String IN_PLACE = "{'spec':{'updatePolicy':{'pod':'InPlaceIfPossible'}}}";

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

  @Tag("long")
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

  @Tag("since-1.33")
  @Tag("long")
  @Test
  void updatesInPlaceAreToldAsByARealKubelet() {
    kubelet.injectForImage(C, PodFault.IMAGE_PULL);
    try (var pods = new PodSequences(client, namespace, POD)) {
      createRunning();
      patch(IN_PLACE);
      awaitCondition(NodeConditionType.READY, ConditionStatus.TRUE, "PodReady");

      setImage(B);
      awaitUpToDate(B);
      patch("{'spec':{'sidecar':{'image':'sidecar:other'}}}");
      eventually(
          () -> assertThat(node().getStatus().currentSidecarImage()).isEqualTo("sidecar:other"));
      awaitUpToDate(B);
      requestCpu("5");
      awaitUpToDate(B);
      kubelet.inject(namespace, POD, PodFault.RESIZE_DEFERRED);
      requestCpu("6");
      eventually(() -> assertThat(plan().currentTask().orElseThrow().message()).contains("Defer"));
      requestCpu("5");
      awaitUpToDate(B);
      kubelet.clear(namespace, POD);
      // Nobody can find out ahead that there is no such image.
      new Denials(client, namespace).forbidAny("count/jobs.batch");
      setImage(C);

      eventually(() -> ExpectedSequences.of("in-place").assertAgree(pods.said()));
    }
  }

  @Tag("long")
  @Test
  void updateInPlaceOutOfACrashLoopIsToldAsByARealKubelet() {
    try (var pods = new PodSequences(client, namespace, POD)) {
      createRunning();
      patch(IN_PLACE);
      kubelet.halt(namespace, POD, "v2", 100);
      eventually(() -> assertThat(restartsOfSeid()).isGreaterThanOrEqualTo(2));

      patch("{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}".formatted(B));
      eventually(() -> assertThat(node().getStatus().currentImage()).isEqualTo(B));

      eventually(() -> ExpectedSequences.of("in-place-crash-loop").assertAgree(pods.said()));
    }
  }

  @Test
  void restartsBySidecarAreToldAsByARealKubelet() {
    sidecar.version(SidecarVersion.V0_0_70);
    try (var pods = new PodSequences(client, namespace, POD)) {
      createRunning();
      eventually(() -> assertThat(isReady()).isTrue());

      for (int restart = 1; restart <= 2; restart++) {
        sidecar.submit(namespace, NODE, SidecarTaskTypes.RESTART_SEID);
        int restarts = restart;
        eventually(() -> assertThat(restartsOfSeid()).isEqualTo(restarts));
        eventually(() -> assertThat(isReady()).isTrue());
      }

      eventually(() -> ExpectedSequences.of("restart").assertAgree(pods.said()));
    }
  }

  private boolean isReady() {
    return PodFacts.isReady(pod());
  }

  private void requestCpu(String amount) {
    patch("{'spec':{'resources':{'requests':{'cpu':'%s','memory':'1Gi'}}}}".formatted(amount));
  }

  private int restartsOfSeid() {
    return pod().getStatus().getContainerStatuses().stream()
        .filter(status -> status.getName().equals("seid"))
        .mapToInt(ContainerStatus::getRestartCount)
        .sum();
  }
}
