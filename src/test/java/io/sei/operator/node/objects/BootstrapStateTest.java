package io.sei.operator.node.objects;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.End;
import io.sei.operator.testkit.samples.PodSample;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BootstrapStateTest {

  private static final String RUN = "run-1";

  /** Halt of the real seid v6.5.2. */
  private static final String HALT =
      "time=1 level=INFO msg=\"halting node per configuration\" height=160\n";

  static Stream<Arguments> pods() {
    Pod halted = pod("Running", ended("seid", 0, null), running("sei-sidecar"));
    Pod signalled = pod("Failed", ended("seid", 143, HALT));
    return Stream.of(
        Arguments.of("no pod", List.of(), new BootstrapState.Missing()),
        Arguments.of(
            "pending", List.of(pod("Pending")), new BootstrapState.Running(pod("Pending"))),
        Arguments.of(
            "halted, beside its sidecars", List.of(halted), new BootstrapState.Succeeded(halted)),
        Arguments.of(
            "halted, but asked to stop",
            List.of(leaving(halted)),
            new BootstrapState.Leaving("job-1")),
        Arguments.of(
            "of another run", List.of(ofAnotherRun(halted)), new BootstrapState.Leaving("job-1")),
        Arguments.of(
            "two of them",
            List.of(halted, pod("Pending")),
            new BootstrapState.Leaving("job-1, job-1")),
        Arguments.of(
            "halted by the signal that it sent itself",
            List.of(signalled),
            new BootstrapState.Succeeded(signalled)),
        failed(
            "stopped before it halted",
            pod("Failed", ended("seid", 143, "seid was stopped before it halted")),
            "seid exited with code 143: seid was stopped before it halted"),
        failed(
            "words of a halt, but another end",
            pod("Failed", ended("seid", 1, HALT)),
            "seid exited with code 1: level=INFO msg=\"halting node per configuration\""
                + " height=160"),
        failed(
            "an error before its usage",
            pod("Failed", ended("seid", 1, "Error: port taken\nUsage:\n  seid start [flags]\n")),
            "seid exited with code 1: Error: port taken"),
        failed(
            "crashed",
            pod("Running", ended("seid", 2, "panic:\nno disk"), running("sei-sidecar")),
            "seid exited with code 2: panic: no disk"),
        failed(
            "out of memory",
            pod("Running", killed("seid", "OOMKilled"), running("sei-sidecar")),
            "seid exited with code 137 (OOMKilled)"),
        failed(
            "lost its sidecar",
            pod("Running", running("seid"), ended("sei-sidecar", 1, null)),
            "sei-sidecar exited with code 1"),
        failed("not prepared", withInit("seid-init", null, 3), "seid-init exited with code 3"),
        Arguments.of(
            "prepared",
            List.of(withInit("seid-init", null, 0)),
            new BootstrapState.Running(withInit("seid-init", null, 0))),
        Arguments.of(
            "native sidecar between two starts",
            List.of(withInit("sei-sidecar", "Always", 1)),
            new BootstrapState.Running(withInit("sei-sidecar", "Always", 1))),
        failed("evicted", evicted(pod("Failed")), "Evicted: The node was low on memory."),
        failed(
            "evicted before it halted",
            evicted(pod("Failed", ended("seid", 0, null))),
            "seid exited with code 0"),
        Arguments.of(
            "halted before it was evicted",
            List.of(evicted(signalled)),
            new BootstrapState.Succeeded(evicted(signalled))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pods")
  void isReadOffThePod(String name, List<Pod> pods, BootstrapState state) {
    assertThat(BootstrapState.of(pods, RUN)).isEqualTo(state);
  }

  private static Arguments failed(String name, Pod pod, String cause) {
    return Arguments.of(
        name, List.of(pod), new BootstrapState.Failed("bootstrap pod job-1: " + cause));
  }

  private static Pod pod(String phase, ContainerStatus... statuses) {
    return sample(phase).statuses(statuses).build();
  }

  private static PodSample sample(String phase) {
    return aPod("job-1").annotation(Annotations.BOOTSTRAP_RUN, RUN).phase(phase);
  }

  private static Pod withInit(String name, String restartPolicy, int exitCode) {
    Pod pod =
        sample("Pending")
            .initContainer(name, null)
            .initStatuses(ended(name, exitCode, null))
            .build();
    pod.getSpec().getInitContainers().get(0).setRestartPolicy(restartPolicy);
    return pod;
  }

  private static Pod leaving(Pod pod) {
    return aPod(pod).terminating(Instant.EPOCH).build();
  }

  private static Pod ofAnotherRun(Pod pod) {
    return aPod(pod).annotation(Annotations.BOOTSTRAP_RUN, "run-0").build();
  }

  private static Pod evicted(Pod pod) {
    Pod evicted = aPod(pod).condition("DisruptionTarget", "True").build();
    evicted.getStatus().setReason("Evicted");
    evicted.getStatus().setMessage("The node was low on memory.");
    return evicted;
  }

  private static ContainerStatus running(String name) {
    return ContainerSample.named(name).running().build();
  }

  private static ContainerStatus killed(String name, String reason) {
    return ContainerSample.named(name).ended(End.exit(137, null).because(reason)).build();
  }

  private static ContainerStatus ended(String name, int exitCode, String message) {
    return ContainerSample.named(name).ended(End.exit(exitCode, message).because(null)).build();
  }
}
