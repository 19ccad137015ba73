package io.sei.operator.node.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
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
        pod("not ready yet", false, it -> condition(it, "Ready", "False", "ContainersNotReady")),
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

  @Test
  void podWithoutGraceIsAllButGoneUnlessItHasAFinalizer() {
    Pod before = terminating(pod()).build();
    PodBuilder after =
        new PodBuilder(before)
            .editMetadata()
            .withDeletionTimestamp("2025-12-31T23:59:00Z")
            .withDeletionGracePeriodSeconds(0L)
            .endMetadata();

    assertThat(RelevantChange.of(before, after.build())).isFalse();
    Pod kept = after.editMetadata().addToFinalizers("a/b").endMetadata().build();
    assertThat(RelevantChange.of(before, kept)).isTrue();
  }

  @Test
  void deletionBeginsOnce() {
    Pod running = pod().build();
    Pod leaving = terminating(pod()).build();

    assertThat(RelevantChange.isDeletion(running, leaving)).isTrue();
    assertThat(RelevantChange.isDeletion(running, running)).isFalse();
    assertThat(RelevantChange.isDeletion(leaving, leaving)).isFalse();
  }

  @Test
  void endOfAPodIsExpectedOnceItWasOnItsWay() {
    assertThat(RelevantChange.isExpectedEnd(pod().build())).isFalse();
    assertThat(RelevantChange.isExpectedEnd(terminating(pod()).build())).isTrue();
    Pod ofJob =
        terminating(pod())
            .editMetadata()
            .withLabels(Labels.ofBootstrap("node"))
            .endMetadata()
            .build();
    assertThat(RelevantChange.isExpectedEnd(ofJob)).isFalse();
  }

  static Stream<Arguments> claims() {
    return Stream.of(
        claim("unused", false, it -> condition(it, "Unused")),
        claim("to be resized", true, it -> condition(it, "FileSystemResizePending")),
        claim("bound", true, it -> it.editStatus().withPhase("Bound").endStatus()),
        claim("a label", true, it -> it.editMetadata().addToLabels("a", "b").endMetadata()),
        claim("a volume", true, it -> it.editSpec().withVolumeName("v").endSpec()));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("claims")
  void ofAClaim(String what, boolean relevant, PersistentVolumeClaim after) {
    assertThat(RelevantChange.of(claim().build(), after)).isEqualTo(relevant);
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
            it -> it.editMetadata().addToAnnotations("a", "b").endMetadata()),
        statefulSet(
            "what was applied together with a spec",
            false,
            it -> it.editMetadata().withGeneration(2L).addToAnnotations("a", "b").endMetadata()),
        statefulSet(
            "a spec, and that it was observed",
            true,
            it ->
                it.editMetadata()
                    .withGeneration(2L)
                    .endMetadata()
                    .editStatus()
                    .withObservedGeneration(2L)
                    .endStatus()),
        statefulSet(
            "another of the same name",
            true,
            it -> it.editMetadata().withUid("2").withGeneration(2L).endMetadata()),
        statefulSet(
            "deletion",
            true,
            it -> it.editMetadata().withGeneration(2L).withDeletionTimestamp("now").endMetadata()));
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

  private static Arguments claim(
      String what, boolean relevant, Consumer<PersistentVolumeClaimBuilder> change) {
    PersistentVolumeClaimBuilder after = claim();
    change.accept(after);
    return Arguments.of(what, relevant, after.build());
  }

  private static PersistentVolumeClaimBuilder claim() {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus();
  }

  private static void condition(PersistentVolumeClaimBuilder claim, String type) {
    claim.editStatus().addNewCondition().withType(type).endCondition().endStatus();
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
