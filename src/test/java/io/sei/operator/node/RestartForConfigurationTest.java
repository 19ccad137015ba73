package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpdatePolicy;
import io.sei.operator.api.v1alpha1.UpdatePolicy.OfConfig;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.KubeletTiming;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.SidecarVersion;
import io.sei.operator.testkit.samples.SeidDeaths;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Applies a user's change of the configuration by itself, once, also where the kubelet backs off.
 */
class RestartForConfigurationTest extends ConfigTestCase {

  private static final String RESTART = SidecarTaskTypes.RESTART_SEID;
  private static final String MEMPOOL = "{'spec':{'overrides':{'mempool.size':'10'}}}";

  @BeforeEach
  void newSidecar() {
    sidecar.version(SidecarVersion.V0_0_70);
  }

  /** The kubelet backs off from the second restart on, as after a crash. */
  @Tag("long")
  @Test
  void restartsInARowAreNoCrashLoop() {
    createRunning();

    for (int size = 1; size <= 4; size++) {
      patch("{'spec':{'overrides':{'mempool.size':'%d'}}}".formatted(size));
      awaitRestarts(size);
      awaitUpToDate(A);
    }

    stays(() -> assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE));
    assertThat(events("Stalled")).isEmpty();
    assertThat(node().getStatus().crashLoopSince()).isNull();
    assertThat(executions(RESTART)).isEqualTo(4);
  }

  @Tag("long")
  @Test
  void changeWaitsForTheNextStartWhereThatIsAsked() {
    create(waiting());
    awaitUpToDate(A);
    int tasks = submitted().size();

    patch(MEMPOOL);

    awaitCondition(
        NodeConditionType.RESTART_PENDING, ConditionStatus.TRUE, NodeReason.CONFIGURATION_CHANGED);
    assertThat(condition(NodeConditionType.RESTART_PENDING).message())
        .contains("the configuration changed at", "seid has run since before");
    awaitUpToDate(A);
    assertThat(submittedAfter(tasks)).hasSize(2).doesNotContain(RESTART);
    stays(() -> assertThat(restarts()).isZero());

    annotate(Annotations.RESTART_REQUESTED_AT, "now");

    awaitCondition(
        NodeConditionType.RESTART_PENDING, ConditionStatus.FALSE, NodeReason.NO_RESTART_PENDING);
    awaitUpToDate(A);
    assertThat(images()).containsExactly(A, A);
    assertThat(executions(RESTART)).isZero();
  }

  @Tag("long")
  @Test
  void whatWaitedIsInForceOnceTheNodeIsNotToWait() {
    create(waiting());
    awaitUpToDate(A);
    patch(MEMPOOL);
    awaitCondition(
        NodeConditionType.RESTART_PENDING, ConditionStatus.TRUE, NodeReason.CONFIGURATION_CHANGED);

    patch("{'spec':{'updatePolicy':{'config':'Restart'}}}");

    awaitRestarts(1);
    awaitUpToDate(A);
    assertThat(executions(RESTART)).isEqualTo(1);
    assertThat(images()).containsExactly(A);
  }

  @Tag("long")
  @Test
  void podIsReplacedWhereTheSidecarIsTooOld() {
    sidecar.version(SidecarVersion.V0_0_50);
    createRunning();

    patch(MEMPOOL);

    eventually(() -> assertThat(images()).containsExactly(A, A));
    awaitUpToDate(A);
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(executions(RESTART)).isZero();
    assertCondition(NodeConditionType.SIDECAR_READY, ConditionStatus.TRUE);
    assertThat(events("SeidRestarting"))
        .singleElement()
        .satisfies(event -> assertThat(event.getMessage()).contains("the pod is replaced"));
  }

  @Tag("long")
  @Test
  void changeTogetherWithAnImageStartsSeidOnce() {
    createRunning();

    patch("{'spec':{'image':'%s','overrides':{'mempool.size':'10'}}}".formatted(B));

    awaitUpToDate(B);
    stays(() -> assertThat(images()).containsExactly(A, B));
    assertThat(restarts()).isZero();
    assertThat(executions(RESTART)).isZero();
  }

  @Test
  void sidecarThatIsLostWhileSeidReplaysDoesNotEndItAgain() {
    createRunning();
    sidecarFaults().hold(RESTART);
    patch(MEMPOOL);
    eventually(() -> assertThat(node().getStatus().unreadConfig().askedAt()).isNotNull());
    kubelet.injectForImage(A, PodFault.SLOW_SEID);
    sidecarFaults().release(RESTART);
    awaitRestarts(1);
    eventually(() -> assertThat(node().getStatus().unreadConfig()).isNull());

    sidecar.restart(namespace, NODE);
    kubelet.clearImage(A);

    awaitUpToDate(A);
    stays(() -> assertThat(restarts()).isEqualTo(1));
    assertThat(executions(RESTART)).isEqualTo(1);
  }

  @Tag("long")
  @Test
  void seidThatStartsIsNotInterrupted() {
    createRunning();
    kubelet.injectForImage(B, PodFault.SLOW_SEID);
    setImage(B);
    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, NodeReason.STARTING);

    patch(MEMPOOL);

    awaitStep(RESTART);
    stays(() -> assertThat(restarts()).isZero());
    assertThat(plan().currentTask().orElseThrow().reason()).isEqualTo("Starting");
    kubelet.clearImage(B);
    awaitRestarts(1);
    awaitUpToDate(B);
    assertThat(executions(RESTART)).isEqualTo(1);
  }

  @Test
  void restartThatFailsIsNeitherRepeatedNorHidden() {
    createRunning();
    sidecarFaults().failAlways(RESTART, "seid pid 7 still alive 1m30s after SIGTERM");

    patch(MEMPOOL);

    awaitStalled(StallReason.SIDECAR_TASK_FAILED);
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("still alive 1m30s after SIGTERM", "sei.io/restart-requested-at");
    stays(() -> assertThat(executions(RESTART)).isEqualTo(1));

    annotate(Annotations.RESTART_REQUESTED_AT, "now");

    awaitUpToDate(A);
    assertThat(images()).containsExactly(A, A);
    assertThat(executions(RESTART)).isEqualTo(1);
  }

  private static SeiNodeSpec waiting() {
    return spec(A).withUpdatePolicy(new UpdatePolicy(null, OfConfig.ON_NEXT_START));
  }

  private void awaitRestarts(int count) {
    eventually(() -> assertThat(restarts()).isEqualTo(count));
  }

  private int restarts() {
    return pod().getStatus().getContainerStatuses().stream()
        .filter(container -> container.getName().equals("seid"))
        .mapToInt(ContainerStatus::getRestartCount)
        .sum();
  }

  private void startKubeletThatBacksOffForMinutes() {
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

  /** The kubelet backs off for longer than the minute that a replacement may take. */
  @Test
  void correctedConfigurationIsReadByANewPod() {
    startKubeletThatBacksOffForMinutes();
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

  private static SeidDeaths.Death configInvalid() {
    return SeidDeaths.causes()
        .filter(death -> death.reason() == StallReason.CONFIG_INVALID)
        .filter(death -> death.line().contains("Config validation failed"))
        .findFirst()
        .orElseThrow();
  }
}
