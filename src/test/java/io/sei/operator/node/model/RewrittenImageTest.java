package io.sei.operator.node.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.node.Snapshots;
import io.sei.operator.takeover.Baseline;
import io.sei.operator.testkit.samples.PodSample;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The image that a pod was asked to run, where admission may have put another one into it. */
class RewrittenImageTest {

  private static final String REVISION = "controller-revision-hash";

  /** The spec has image 3, the plan leads to image 2, and image 1 is recorded as running. */
  @ParameterizedTest(name = "a pod made for {0} with image {1} was asked to run {2}")
  @CsvSource({
    "3, 3,     3",
    "3, m/3@x, 3",
    "2, m/2@x, 2",
    "1, m/1@x, 1",
    "0, 0,     0",
    "0, m/0@x, m/0@x",
  })
  void stampSaysWhichImageWasAskedFor(String madeFor, String image, String asked) {
    NodeView view = snapshot(pod(madeFor, image));

    assertThat(view.imageOf(view.livePod().orElseThrow())).contains(asked);
    assertThat(view.imageRewrite())
        .isEqualTo(
            image.equals(asked)
                ? Optional.empty()
                : Optional.of(
                    "admission control put image %s in place of %s".formatted(image, asked)));
  }

  @Test
  void differenceNamesImagesThatWereAskedFor() {
    assertThat(snapshot(pod("1", "m/1@x")).difference()).isEqualTo("image 1 -> 3");
  }

  @ParameterizedTest(name = "a pod of revision {0}, template {1} observed: stands for {2}")
  @CsvSource({"r2, true, 3", "r2, false, m/3@x", "r1, true, m/3@x"})
  void podOfAnotherOperatorStandsForTheTemplateOfItsRevision(
      String revision, boolean observed, String standsFor) {
    Pod pod =
        PodSample.named("node-0").label(REVISION, revision).container("seid", "m/3@x").build();

    assertThat(Baseline.of(Snapshots.node("3"), pod, Optional.of(statefulSet(observed))))
        .isEqualTo(Snapshots.hash(standsFor));
    assertThat(Baseline.of(Snapshots.node("3"), pod, Optional.empty()))
        .isEqualTo(Snapshots.hash("m/3@x"));
  }

  private static StatefulSet statefulSet(boolean observed) {
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withGeneration(2L)
        .endMetadata()
        .withNewSpec()
        .withNewTemplate()
        .withSpec(PodSample.named("node-0").container("seid", "3").build().getSpec())
        .endTemplate()
        .endSpec()
        .withNewStatus()
        .withObservedGeneration(observed ? 2L : 1L)
        .withUpdateRevision("r2")
        .endStatus()
        .build();
  }

  private static Pod pod(String madeFor, String image) {
    Pod pod = Snapshots.pod(madeFor);
    pod.getSpec().getContainers().getFirst().setImage(image);
    return pod;
  }

  private static NodeView snapshot(Pod pod) {
    SeiNodeStatus status =
        Snapshots.running("1")
            .withPlan(Snapshots.plan(PlanKind.UPDATE, PlanPhase.ACTIVE, "2", 0, "mark-ready"));
    return Snapshots.snapshot(Snapshots.node("3"), status, Optional.of(pod), null);
  }
}
