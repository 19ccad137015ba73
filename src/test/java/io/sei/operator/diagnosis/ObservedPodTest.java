package io.sei.operator.diagnosis;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.PodUpdate.How;
import io.sei.operator.api.v1alpha1.PodUpdateBuilder;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.End;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Images and runs of a pod after its images were changed. */
class ObservedPodTest {

  private static final Instant AT = Instant.parse("2026-01-01T12:00:00Z");
  private static final String REVISION = "controller-revision-hash";

  /**
   * Which run is of the new image. The pod's container was at run-1 of digest a, with four
   * restarts.
   */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        // what                             | was up | run   | digest | began | observed | new
        "the run before                     | true   | run-1 | a      | -60   | 2        | false",
        "a run of another image             | false  | run-2 | b      | 0     | 1        | true",
        "a run that was not told of yet     | false  | run-2 | a      | -1    | 2        | false",
        "one that began in the same second  | false  | run-2 | a      | 0     | 2        | false",
        "a later one, of a tag of one image | false  | run-3 | a      | 6     | 2        | true",
        "the same, kubelet is behind        | true   | run-2 | a      | 1     | 1        | false",
        "the same, kubelet has caught up    | true   | run-2 | a      | 1     | 2        | true",
        "the same, kubelet does not say     | true   | run-2 | a      | 1     |          | true",
        // Of the tag before, perhaps: the kubelet says seconds, and of two tags one program.
        "the same, in the second of the edit| true   | run-2 | a      | 0     | 2        | true",
        "one from before, of the same image | true   | run-2 | a      | -1    | 2        | false",
      })
  void runIsRecognizedByItsImage(
      String what,
      boolean wasUp,
      String run,
      String digest,
      long began,
      Long observed,
      boolean isNew) {
    ContainerStatus status =
        ContainerSample.named("seid")
            .run(run)
            .imageId(digest)
            .restarts(5)
            .ready()
            .running(AT.plusSeconds(began))
            .lastEnd(
                End.exit(2, "panic: UPGRADE \"v2\" NEEDED at height: 1: x").ofRun("run-1").at(AT))
            .build();
    Pod pod = pod("node-2", observed, status);
    PodUpdate update = update(wasUp);

    Pod since = ObservedPod.update(pod, update);

    assertThat(ObservedPod.hasRunSince(pod, update)).isEqualTo(isNew);
    assertThat(PodFacts.imageId(since, "seid").isPresent()).isEqualTo(isNew);
    assertThat(PodFacts.isReady(since)).isEqualTo(isNew);
    assertThat(PodFacts.runs(since, "seid")).isEqualTo(isNew);
    assertThat(PodFacts.restarts(PodFacts.status(since, "seid").orElseThrow())).isZero();
    assertThat(CrashLoops.isIn(since, AT)).isFalse();
  }

  @Test
  void restartsCountFromTheFirstRunThatWasSeen() {
    ContainerStatus first =
        ContainerSample.named("seid").run("run-2").imageId("b").restarts(5).running(AT).build();
    PodUpdate update = ObservedPod.observed(pod("node-2", 2L, first), update(false));
    assertThat(update.containers().get(0).firstRestartCount()).isEqualTo(5);
    assertThat(update.containers().get(0).startedAt()).isEqualTo(AT);

    Pod later =
        pod(
            "node-2",
            2L,
            ContainerSample.named("seid")
                .run("run-4")
                .imageId("b")
                .restarts(7)
                .waiting("CrashLoopBackOff")
                .lastEnd(End.exit(1, "Error: x").ofRun("run-4").at(AT.plusSeconds(3)))
                .build());

    Pod since = ObservedPod.update(later, update);

    ContainerStatus seid = PodFacts.status(since, "seid").orElseThrow();
    assertThat(seid.getRestartCount()).isEqualTo(2);
    assertThat(PodFacts.lastEnd(seid)).isPresent();
    assertThat(ObservedPod.observed(later, update)).as("once").isEqualTo(update);
  }

  @Test
  void imageThatCannotBeHadIsOfTheNewOne() {
    Pod pod =
        pod(
            "node-2",
            1L,
            ContainerSample.named("seid")
                .run("run-1")
                .imageId("a")
                .restarts(4)
                .waiting("ImagePullBackOff", "Back-off pulling image")
                .build());

    assertThat(ObservedPod.missingImage(ObservedPod.update(pod, update(false)), update(false)))
        .hasValueSatisfying(
            failed -> {
              assertThat(failed.why()).isEqualTo("seid: ImagePullBackOff: Back-off pulling image");
              assertThat(failed.cause()).isEqualTo(StallReason.REGISTRY_UNREACHABLE);
            });
  }

  /** An update is known by the hash that it was made for until its revision is known. */
  @Test
  void podIsKnownByItsStampToo() {
    Pod pod = pod("node-2", 2L, ContainerSample.named("seid").run("run-1").running().build());
    PodUpdate planned = update(true).withRevision(null).withSpecHash("v1:b");

    assertThat(ObservedPod.isCarriedOut(pod, planned)).isFalse();
    pod.getMetadata().getAnnotations().put(Annotations.SPEC_HASH, "v1:b");
    assertThat(ObservedPod.isCarriedOut(pod, planned)).isTrue();
    assertThat(ObservedPod.isCarriedOut(pod, planned.withRevision("node-1"))).isFalse();
  }

  @Test
  void podThatWasNotChangedIsAsItIs() {
    Pod pod = pod("node-1", 2L, ContainerSample.named("seid").run("run-1").running().build());

    assertThat(ObservedPod.update(pod, update(true))).isSameAs(pod);
    assertThat(ObservedPod.update(pod, null)).isSameAs(pod);
    assertThat(ObservedPod.update(pod, update(true).withPodUid("another"))).isSameAs(pod);
  }

  private static PodUpdate update(boolean wasUp) {
    ContainerStatus before =
        ContainerSample.named("seid").run("run-1").imageId("a").restarts(4).build();
    return PodUpdateBuilder.builder()
        .podUid("pod-1")
        .how(How.IN_PLACE)
        .revision("node-2")
        .at(AT)
        .containers(
            List.of(
                ObservedPod.before(pod("node-1", 1L, before), "seid", "sei:b").withRunning(wasUp)))
        .build();
  }

  private static Pod pod(String revision, Long observed, ContainerStatus seid) {
    Pod pod =
        aPod("node-0")
            .uid("pod-1")
            .label(REVISION, revision)
            .phase("Running")
            .container("seid", "sei:b")
            .ready()
            .statuses(seid)
            .build();
    return new PodBuilder(pod)
        .editMetadata()
        .withGeneration(2L)
        .endMetadata()
        .editStatus()
        .withObservedGeneration(observed)
        .endStatus()
        .build();
  }

  @ParameterizedTest
  @CsvSource({"143, , false", "137, , false", "137, OOMKilled, true", "2, , true", "0, , false"})
  void onlyARunThatEndedByItselfSpeaksAgainstItsImage(int exit, String reason, boolean crashed) {
    Pod pod = PodSamples.pod(PodSamples.ended("seid", 1, End.exit(exit, null).because(reason)));

    assertThat(ObservedPod.hasCrashed(pod, "seid")).isEqualTo(crashed);
  }
}
