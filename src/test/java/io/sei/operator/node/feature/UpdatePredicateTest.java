package io.sei.operator.node.feature;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.End;
import io.sei.operator.testkit.samples.PodSample;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class UpdatePredicateTest {

  private static final Instant DUE = Instant.parse("2026-01-01T00:00:00Z");

  static Stream<Arguments> pods() {
    return Stream.of(
        pod(
            "resourceVersion",
            false,
            sample ->
                sample.edit(pod -> pod.editMetadata().withResourceVersion("2").endMetadata())),
        pod("a label", true, sample -> sample.label("a", "b")),
        pod("deletion", true, sample -> sample.terminating(DUE)),
        pod("phase", true, sample -> sample.phase("Running")),
        pod("scheduled", false, sample -> sample.condition("PodScheduled", "True")),
        pod(
            "not schedulable",
            true,
            sample -> sample.condition("PodScheduled", "False", "Unschedulable", null)),
        pod("initialized", false, sample -> sample.condition("Initialized", "True")),
        pod("ready", true, PodSample::ready),
        pod(
            "not ready yet",
            false,
            sample -> sample.condition("Ready", "False", "ContainersNotReady", null)),
        pod(
            "evicted",
            true,
            sample -> sample.condition("DisruptionTarget", "True", "EvictionByEvictionAPI", null)),
        pod(
            "no room for other resources",
            true,
            sample -> sample.condition("PodResizePending", "True", "Deferred", null)),
        pod("resources", false, sample -> sample.statuses(resized())),
        pod(
            "other resources than it was made with",
            true,
            sample -> changed(sample).statuses(resized())),
        pod("a spec that the kubelet has yet to see", false, UpdatePredicateTest::changed),
        pod("an address", false, sample -> sample.address("10.0.0.1")),
        pod(
            "a container to be made",
            false,
            sample -> seid(sample, c -> c.waiting("ContainerCreating"))),
        pod(
            "an image that is missing",
            true,
            sample -> seid(sample, c -> c.waiting("ImagePullBackOff"))),
        pod("one image of two", false, sample -> sample.statuses(pulled(Names.SEID))),
        pod(
            "both images",
            true,
            sample -> sample.statuses(pulled(Names.SEID), pulled(Names.SIDECAR))),
        pod(
            "a crash",
            true,
            sample -> seid(sample, c -> c.restarts(1).lastEnd(End.exit(1, null)))));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("pods")
  void ofAPod(String what, boolean relevant, Pod after) {
    assertThat(UpdatePredicate.of(pod().build(), after)).isEqualTo(relevant);
    assertThat(UpdatePredicate.of(after, after)).isFalse();
  }

  @ParameterizedTest(name = "terminating, {0}: {1}")
  @MethodSource("pods")
  void ofATerminatingPodIsItsEnd(String what, boolean relevant, Pod after) {
    Pod later = aPod(after).terminating(DUE).build();

    assertThat(UpdatePredicate.of(terminating(), later)).isEqualTo(what.equals("a label"));
  }

  @Test
  void podWithoutGraceIsAllButGoneUnlessItHasAFinalizer() {
    Pod before = terminating();
    Pod after = aPod(before).terminating(DUE.minusSeconds(60)).build();
    after.getMetadata().setDeletionGracePeriodSeconds(0L);

    assertThat(UpdatePredicate.of(before, after)).isFalse();
    Pod kept = aPod(after).build();
    kept.getMetadata().setFinalizers(List.of("a/b"));
    assertThat(UpdatePredicate.of(before, kept)).isTrue();
  }

  @Test
  void deletionBeginsOnce() {
    Pod running = pod().build();
    Pod leaving = terminating();

    assertThat(UpdatePredicate.isDeletion(running, leaving)).isTrue();
    assertThat(UpdatePredicate.isDeletion(running, running)).isFalse();
    assertThat(UpdatePredicate.isDeletion(leaving, leaving)).isFalse();
  }

  @Test
  void endOfAPodIsExpectedOnceItWasOnItsWay() {
    assertThat(UpdatePredicate.isExpectedEnd(pod().build())).isFalse();
    assertThat(UpdatePredicate.isExpectedEnd(terminating())).isTrue();
    Pod ofJob = terminating();
    ofJob.getMetadata().setLabels(Labels.ofBootstrap("node"));
    assertThat(UpdatePredicate.isExpectedEnd(ofJob)).isFalse();
  }

  static Stream<Arguments> claims() {
    return Stream.of(
        claim("unused", false, builder -> condition(builder, "Unused")),
        claim("to be resized", true, builder -> condition(builder, "FileSystemResizePending")),
        claim("bound", true, builder -> builder.editStatus().withPhase("Bound").endStatus()),
        claim(
            "a label", true, builder -> builder.editMetadata().addToLabels("a", "b").endMetadata()),
        claim("a volume", true, builder -> builder.editSpec().withVolumeName("v").endSpec()));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("claims")
  void ofAClaim(String what, boolean relevant, PersistentVolumeClaim after) {
    assertThat(UpdatePredicate.of(claim().build(), after)).isEqualTo(relevant);
  }

  static Stream<Arguments> statefulSets() {
    return Stream.of(
        statefulSet(
            "a counter", false, builder -> builder.editStatus().withReadyReplicas(1).endStatus()),
        statefulSet(
            "a revision",
            true,
            builder -> builder.editStatus().withUpdateRevision("node-2").endStatus()),
        statefulSet(
            "a spec that nobody observed",
            false,
            builder -> builder.editMetadata().withGeneration(2L).endMetadata()),
        statefulSet(
            "a spec that was observed",
            true,
            builder -> builder.editStatus().withObservedGeneration(2L).endStatus()),
        statefulSet(
            "an annotation",
            true,
            builder -> builder.editMetadata().addToAnnotations("a", "b").endMetadata()),
        statefulSet(
            "what was applied together with a spec",
            false,
            builder ->
                builder.editMetadata().withGeneration(2L).addToAnnotations("a", "b").endMetadata()),
        statefulSet(
            "a spec, and that it was observed",
            true,
            builder ->
                builder
                    .editMetadata()
                    .withGeneration(2L)
                    .endMetadata()
                    .editStatus()
                    .withObservedGeneration(2L)
                    .endStatus()),
        statefulSet(
            "another of the same name",
            true,
            builder -> builder.editMetadata().withUid("2").withGeneration(2L).endMetadata()),
        statefulSet(
            "deletion",
            true,
            builder ->
                builder
                    .editMetadata()
                    .withGeneration(2L)
                    .withDeletionTimestamp("now")
                    .endMetadata()));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("statefulSets")
  void ofAStatefulSet(String what, boolean relevant, StatefulSet after) {
    assertThat(UpdatePredicate.of(statefulSet().build(), after)).isEqualTo(relevant);
  }

  private static Arguments pod(String what, boolean relevant, UnaryOperator<PodSample> change) {
    return Arguments.of(what, relevant, change.apply(pod()).build());
  }

  private static PodSample pod() {
    return aPod("node-0")
        .uid("1")
        .edit(builder -> builder.editMetadata().withResourceVersion("1").endMetadata())
        .label("app", "node")
        .phase("Pending");
  }

  private static Pod terminating() {
    return pod().terminating(DUE).build();
  }

  private static PodSample seid(PodSample pod, Consumer<ContainerSample> state) {
    return pod.status(Names.SEID, state);
  }

  private static PodSample changed(PodSample pod) {
    return pod.edit(builder -> builder.editMetadata().withGeneration(2L).endMetadata());
  }

  private static ContainerStatus resized() {
    ContainerStatus status = ContainerSample.named(Names.SEID).build();
    status.setResources(
        new ResourceRequirementsBuilder().addToRequests("cpu", new Quantity("1")).build());
    return status;
  }

  private static ContainerStatus pulled(String container) {
    return ContainerSample.named(container).imageId("sha256:1").build();
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
