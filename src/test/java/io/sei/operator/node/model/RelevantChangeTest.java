package io.sei.operator.node.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.render.Names;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RelevantChangeTest {

  static Stream<Arguments> pods() {
    return Stream.of(
        pod(
            "resourceVersion",
            false,
            it -> it.editMetadata().withResourceVersion("2").endMetadata()),
        pod("a label", true, it -> it.editMetadata().addToLabels("a", "b").endMetadata()),
        pod("deletion", true, RelevantChangeTest::terminating),
        pod("phase", true, it -> it.editStatus().withPhase("Running").endStatus()),
        pod("scheduled", false, it -> condition(it, "PodScheduled", "True", null)),
        pod("not schedulable", true, it -> condition(it, "PodScheduled", "False", "Unschedulable")),
        pod("initialized", false, it -> condition(it, "Initialized", "True", null)),
        pod("ready", true, it -> condition(it, "Ready", "True", null)),
        pod(
            "evicted",
            true,
            it -> condition(it, "DisruptionTarget", "True", "EvictionByEvictionAPI")),
        pod("an address", false, it -> it.editStatus().withPodIP("10.0.0.1").endStatus()),
        pod("a container to be made", false, it -> waiting(it, "ContainerCreating")),
        pod("an image that is missing", true, it -> waiting(it, "ImagePullBackOff")),
        pod("one image of two", false, it -> pulled(it, Names.SEID)),
        pod("both images", true, it -> pulled(pulled(it, Names.SEID), Names.SIDECAR)),
        pod("a crash", true, RelevantChangeTest::crashed));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("pods")
  void ofAPod(String what, boolean relevant, Pod after) {
    assertThat(RelevantChange.of(pod().build(), after)).isEqualTo(relevant);
    assertThat(RelevantChange.of(after, after)).isFalse();
  }

  @ParameterizedTest(name = "terminating, {0}: {1}")
  @MethodSource("pods")
  void ofATerminatingPodIsItsEnd(String what, boolean relevant, Pod after) {
    PodBuilder before = terminating(pod());
    Pod later = terminating(new PodBuilder(after)).build();

    assertThat(RelevantChange.of(before.build(), later)).isEqualTo(what.equals("a label"));
  }

  static Stream<Arguments> statefulSets() {
    return Stream.of(
        statefulSet("a counter", false, it -> it.editStatus().withReadyReplicas(1).endStatus()),
        statefulSet(
            "a revision", true, it -> it.editStatus().withUpdateRevision("node-2").endStatus()),
        statefulSet(
            "a spec that nobody observed",
            false,
            it -> it.editMetadata().withGeneration(2L).endMetadata()),
        statefulSet(
            "a spec that was observed",
            true,
            it -> it.editStatus().withObservedGeneration(2L).endStatus()),
        statefulSet(
            "an annotation",
            true,
            it -> it.editMetadata().addToAnnotations("a", "b").endMetadata()));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("statefulSets")
  void ofAStatefulSet(String what, boolean relevant, StatefulSet after) {
    assertThat(RelevantChange.of(statefulSet().build(), after)).isEqualTo(relevant);
  }

  private static Arguments pod(String what, boolean relevant, Consumer<PodBuilder> change) {
    PodBuilder after = pod();
    change.accept(after);
    return Arguments.of(what, relevant, after.build());
  }

  private static PodBuilder pod() {
    return new PodBuilder()
        .withNewMetadata()
        .withUid("1")
        .withResourceVersion("1")
        .addToLabels("app", "node")
        .endMetadata()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus();
  }

  private static PodBuilder terminating(PodBuilder pod) {
    return pod.editMetadata().withDeletionTimestamp("2026-01-01T00:00:00Z").endMetadata();
  }

  private static void condition(PodBuilder pod, String type, String status, String reason) {
    pod.editStatus()
        .addNewCondition()
        .withType(type)
        .withStatus(status)
        .withReason(reason)
        .endCondition()
        .endStatus();
  }

  private static void waiting(PodBuilder pod, String reason) {
    pod.editStatus()
        .addNewContainerStatus()
        .withName(Names.SEID)
        .withNewState()
        .withNewWaiting()
        .withReason(reason)
        .endWaiting()
        .endState()
        .endContainerStatus()
        .endStatus();
  }

  private static PodBuilder pulled(PodBuilder pod, String container) {
    return pod.editStatus()
        .addToContainerStatuses(
            new ContainerStatusBuilder().withName(container).withImageID("sha256:1").build())
        .endStatus();
  }

  private static void crashed(PodBuilder pod) {
    pod.editStatus()
        .addNewContainerStatus()
        .withName(Names.SEID)
        .withRestartCount(1)
        .withNewLastState()
        .withNewTerminated()
        .withExitCode(1)
        .endTerminated()
        .endLastState()
        .endContainerStatus()
        .endStatus();
  }

  private static Arguments statefulSet(
      String what, boolean relevant, Consumer<StatefulSetBuilder> change) {
    StatefulSetBuilder after = statefulSet();
    change.accept(after);
    return Arguments.of(what, relevant, after.build());
  }

  private static StatefulSetBuilder statefulSet() {
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withGeneration(1L)
        .endMetadata()
        .withNewStatus()
        .withObservedGeneration(1L)
        .withUpdateRevision("node-1")
        .endStatus();
  }
}
