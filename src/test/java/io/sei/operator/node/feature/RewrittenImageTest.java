package io.sei.operator.node.feature;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.takeover.Baseline;
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
  void specHashOfThePodDecidesWhichImageWasRequested(String madeFor, String image, String asked) {
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
    Pod pod = aPod("node-0").label(REVISION, revision).container("seid", "m/3@x").build();

    assertThat(Baseline.of(aNode("3").build(), pod, Optional.of(statefulSet(observed))))
        .isEqualTo(aNode(standsFor).specHash());
    assertThat(Baseline.of(aNode("3").build(), pod, Optional.empty()))
        .isEqualTo(aNode("m/3@x").specHash());
  }

  private static StatefulSet statefulSet(boolean observed) {
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withGeneration(2L)
        .endMetadata()
        .withNewSpec()
        .withNewTemplate()
        .withSpec(aPod("node-0").container("seid", "3").build().getSpec())
        .endTemplate()
        .endSpec()
        .withNewStatus()
        .withObservedGeneration(observed ? 2L : 1L)
        .withUpdateRevision("r2")
        .endStatus()
        .build();
  }

  private static Pod pod(String madeFor, String image) {
    Pod pod = aPod(aNode(madeFor)).build();
    pod.getSpec().getContainers().getFirst().setImage(image);
    return pod;
  }

  private static NodeView snapshot(Pod pod) {
    SeiNodeStatus status =
        aNode("1").running().status().withPlan(aPlan(PlanKind.UPDATE, "2", "mark-ready").build());
    return aNode("3").status(status).withPod(pod).view();
  }
}
