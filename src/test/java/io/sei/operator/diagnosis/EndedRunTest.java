package io.sei.operator.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs are numbered; the second one was asked to end. */
class EndedRunTest {

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "it runs,                               running,          ended 1, running,                 "
        + " ended 1, 3",
    "it has ended,                          ended 2,          ended 1, waiting ContainerCreating,"
        + " none,   0",
    "the kubelet backs off,                 waiting BackOff,  ended 2, waiting ContainerCreating,"
        + " none,   0",
    "the next one runs,                     running,          ended 2, running,                 "
        + " none,    0",
    "the next one has ended by itself,      ended 3,          ended 2, ended 3,                 "
        + " ended 2, 3",
    "the kubelet backs off after that,      waiting BackOff,  ended 3, waiting BackOff,         "
        + " ended 3, 3",
    "no run is known to have been before,   running,          none,    running,                 "
        + " none,    3",
  })
  void onlyWhatItWasAskedForIsHidden(
      String why, String state, String last, String shown, String shownLast, int restarts) {
    ContainerStatus seid =
        EndedRun.hidden(pod("seid", state, last), "2").getStatus().getContainerStatuses().get(0);

    assertThat(seid.getState()).as(why).isEqualTo(state(shown));
    assertThat(seid.getLastState()).as(why).isEqualTo(state(shownLast));
    assertThat(seid.getRestartCount()).as(why).isEqualTo(restarts);
  }

  @Test
  void otherContainersStayAsTheyAre() {
    Pod pod = pod("cosmos-exporter", "running", "ended 2");

    assertThat(EndedRun.hidden(pod, "2")).isEqualTo(pod);
  }

  private static Pod pod(String container, String state, String last) {
    ContainerStatus status =
        new ContainerStatusBuilder()
            .withName(container)
            .withRestartCount(3)
            .withState(state(state))
            .withLastState(state(last))
            .build();
    return new PodBuilder()
        .withNewMetadata()
        .endMetadata()
        .withNewStatus()
        .withContainerStatuses(status)
        .endStatus()
        .build();
  }

  private static ContainerState state(String words) {
    String[] word = words.split(" ");
    return switch (word[0]) {
      case "running" -> new ContainerStateBuilder().withNewRunning().endRunning().build();
      case "ended" ->
          new ContainerStateBuilder()
              .withNewTerminated()
              .withContainerID(word[1])
              .endTerminated()
              .build();
      case "waiting" ->
          new ContainerStateBuilder().withNewWaiting().withReason(word[1]).endWaiting().build();
      default -> new ContainerState();
    };
  }
}
