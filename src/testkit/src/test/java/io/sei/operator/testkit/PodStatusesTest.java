package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Pods with native sidecars. */
class PodStatusesTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final ActiveFaults NO_FAULTS = new ActiveFaults(List.of(), Set.of());
  private static final ActiveFaults SIDECAR_CRASH =
      new ActiveFaults(List.of(PodFault.SIDECAR_CRASH_LOOP), Set.of());

  private final Pod pod =
      new PodBuilder(
              Serialization.unmarshal(
                  """
                  metadata: {namespace: chain, name: node-0, uid: uid-1}
                  spec:
                    initContainers:
                    - {name: seid-init, image: 'sei:v1'}
                    - name: sei-sidecar
                      image: seictl:v1
                      args: [serve]
                      restartPolicy: Always
                      terminationMessagePolicy: FallbackToLogsOnError
                    containers: [{name: seid, image: 'sei:v1'}]
                  status: {}
                  """,
                  Pod.class))
          .editSpec()
          .editInitContainer(1)
          .withEnv(SidecarEnvironment.sample())
          .endInitContainer()
          .endSpec()
          .build();

  @Test
  void nativeSidecarRunsBesideTheContainers() {
    PodStatus status = after(ContainerRuns.NONE, NO_FAULTS, null);

    assertThat(status.getPhase()).isEqualTo("Running");
    assertThat(init(status, 0).getState().getTerminated().getReason()).isEqualTo("Completed");
    assertThat(init(status, 1).getState().getRunning()).isNotNull();
    assertThat(init(status, 1).getReady()).isTrue();
    assertThat(condition(status, "Ready")).isEqualTo("True");
  }

  @Test
  void nativeSidecarThatNeverStartsKeepsThePodFromInitializing() {
    PodStatus status = after(ContainerRuns.NONE, SIDECAR_CRASH, null);

    assertThat(status.getPhase()).isEqualTo("Pending");
    assertThat(condition(status, "Initialized")).isEqualTo("False");
    assertThat(init(status, 1).getState().getTerminated().getExitCode()).isEqualTo(1);
    assertThat(status.getContainerStatuses().get(0).getState().getWaiting().getReason())
        .isEqualTo("PodInitializing");
  }

  @Test
  void sidecarDoesNotStartWithoutWhatItDemandsOfItsEnvironment() {
    pod.getSpec().getInitContainers().get(1).getEnv().remove(1);

    PodStatus status = after(ContainerRuns.NONE, NO_FAULTS, null);

    var end = init(status, 1).getState().getTerminated();
    assertThat(end.getExitCode()).isEqualTo(1);
    assertThat(end.getMessage())
        .endsWith(" required environment variable SEI_GENESIS_BUCKET is not set");
    assertThat(status.getPhase()).isEqualTo("Pending");
  }

  @Test
  void nativeSidecarThatCrashesLaterMakesThePodUnreadyOnly() {
    ContainerRuns running = ContainerRuns.NONE.advance(pod, NO_FAULTS, NOW, BACKOFF);
    PodStatus before = after(ContainerRuns.NONE, NO_FAULTS, null);

    PodStatus status = after(running, SIDECAR_CRASH, before);

    assertThat(condition(status, "Initialized")).isEqualTo("True");
    assertThat(condition(status, "Ready")).isEqualTo("False");
    assertThat(status.getContainerStatuses().get(0).getState().getRunning()).isNotNull();
  }

  @Test
  void crashBackoffDoubles() {
    ActiveFaults crash = new ActiveFaults(List.of(PodFault.CRASH_LOOP), Set.of());
    ContainerRuns first = ContainerRuns.NONE.advance(pod, crash, NOW, BACKOFF);
    assertThat(first.nextChange(NOW.plusMillis(500))).contains(NOW.plusSeconds(1));

    ContainerRuns second = first.advance(pod, crash, NOW.plusSeconds(1), BACKOFF);

    assertThat(second.nextChange(NOW.plusMillis(1500))).contains(NOW.plusSeconds(3));
    assertThat(second.byName().get("seid").restarts()).isEqualTo(1);
    assertThat(first.advance(pod, crash, NOW, BACKOFF)).isEqualTo(first);
  }

  @Test
  void crashIsShownBeforeTheWaitForTheNextRunHoweverLateTheKubeletIs() {
    ActiveFaults crash = new ActiveFaults(List.of(PodFault.CRASH_LOOP), Set.of());
    ContainerRuns crashed = ContainerRuns.NONE.advance(pod, crash, NOW, BACKOFF);

    Instant late = NOW.plusSeconds(60);
    Instant next = crashed.due(NOW, late);
    assertThat(crashed.due(next, late)).as("the next run").isEqualTo(NOW.plus(BACKOFF));
    ContainerStatus first = seid(crashed, crash, NOW);
    ContainerStatus later = seid(crashed, crash, next);

    assertThat(first.getState().getTerminated().getExitCode()).isEqualTo(1);
    assertThat(first.getLastState()).isNull();
    assertThat(later.getState().getWaiting().getReason()).isEqualTo("CrashLoopBackOff");
    assertThat(later.getLastState()).isEqualTo(first.getState());
  }

  private ContainerStatus seid(ContainerRuns runs, ActiveFaults faults, Instant at) {
    return new PodStatuses(pod, null, at)
        .bound(runs, faults, "ErrImagePull", true)
        .getContainerStatuses()
        .get(0);
  }

  @Test
  void podInDeletionFailsWhereAContainerHearsNoSignal() {
    ContainerRuns running = ContainerRuns.NONE.advance(pod, NO_FAULTS, NOW, BACKOFF);
    assertThat(new PodStatuses(pod, null, NOW).stopped(running).getPhase()).isEqualTo("Succeeded");

    pod.getSpec().getContainers().get(0).setName("cosmos-exporter");
    ContainerRuns other = ContainerRuns.NONE.advance(pod, NO_FAULTS, NOW, BACKOFF);
    PodStatus before = after(ContainerRuns.NONE, NO_FAULTS, null);
    PodStatus status = new PodStatuses(pod, before, NOW).stopped(other);

    assertThat(status.getPhase()).isEqualTo("Failed");
    assertThat(condition(status, "Ready")).isEqualTo("False");
    assertThat(condition(status, "PodReadyToStartContainers")).isEqualTo("False");
    assertThat(condition(status, "Initialized")).isEqualTo("True");
  }

  @Test
  void terminationMessageNeedsTheLogPolicy() {
    ActiveFaults halted = new ActiveFaults(List.of(PodFault.HALTED_AT_UPGRADE), Set.of());
    assertThat(message(after(ContainerRuns.NONE, halted, null))).isNull();

    pod.getSpec().getContainers().get(0).setTerminationMessagePolicy("FallbackToLogsOnError");

    assertThat(message(after(ContainerRuns.NONE, halted, null)))
        .startsWith("panic: UPGRADE \"v2\" NEEDED at height: 12345: ");
  }

  private static String message(PodStatus status) {
    return status.getContainerStatuses().get(0).getState().getTerminated().getMessage();
  }

  private PodStatus after(ContainerRuns runs, ActiveFaults faults, PodStatus previous) {
    ContainerRuns next = runs.advance(pod, faults, NOW, BACKOFF);
    return new PodStatuses(pod, previous, NOW).bound(next, faults, "ErrImagePull", true);
  }

  private static ContainerStatus init(PodStatus status, int index) {
    return status.getInitContainerStatuses().get(index);
  }

  private static String condition(PodStatus status, String type) {
    return status.getConditions().stream()
        .filter(c -> c.getType().equals(type))
        .findFirst()
        .orElseThrow()
        .getStatus();
  }
}
