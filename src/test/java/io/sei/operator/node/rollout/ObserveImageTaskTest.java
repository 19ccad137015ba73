package io.sei.operator.node.rollout;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.PodUpdateBuilder;
import io.sei.operator.diagnosis.ObservedPod;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.ContainerSample;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObserveImageTaskTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";

  private final ObserveImageTask task =
      new ObserveImageTask(
          null,
          pass -> Optional.empty(),
          new InPlaceUpdate(
              null, null, (pass, pod) -> false, null, null, new SimpleMeterRegistry()));

  /**
   * A pod that is kept for its data was patched from image a to b, which is not recorded: the
   * operator crashed. seid has been restarted since.
   */
  @ParameterizedTest(name = "the pod had {0} and has {1}: it runs {2}")
  @CsvSource({
    "sei:a, sei:b,                sei:b",
    "sei:a, mirror.example/sei:b, sei:b",
    "sei:a, sei:a,                sei:a",
    "     , sei:b,                sei:b",
    "     , sei:a,                sei:a",
  })
  void imageThatAdmissionPutBackIsNotRecordedAsTheTarget(
      String before, String image, String recorded) {
    Pod pod = pod(image);
    PodUpdate update = update(before);
    NodePass pass =
        aNode(A)
            .running()
            .plan(aPlan(PlanKind.UPDATE, B, "observe-image").build())
            .status(status -> status.withPodUpdate(update))
            .image(B)
            .withPod(ObservedPod.update(pod, update))
            .sidecar(SidecarHealth.READY)
            .atRisk()
            .pass();

    assertThat(task.run(pass).isDone()).isEqualTo(recorded.equals(B));
    assertThat(pass.draft().currentImage()).isEqualTo(recorded);
  }

  private static PodUpdate update(String previousImage) {
    return PodUpdateBuilder.builder()
        .podUid("pod-1")
        .how(PodUpdate.How.IN_PLACE)
        .specHash(aNode(B).specHash())
        .at(NOW)
        .changedAt(NOW)
        .containers(
            List.of(
                ObservedPod.before(aPod(aNode(A)).build(), Names.SEID, B)
                    .withPreviousImage(previousImage)
                    .withRunning(true)
                    .withFirstRestartCount(1)))
        .resized(List.of())
        .build();
  }

  private static Pod pod(String image) {
    return aPod(aNode(image))
        .annotation(Annotations.SPEC_HASH, aNode(B).specHash())
        .statuses(
            ContainerSample.named(Names.SEID)
                .run("run-2")
                .imageId("digest")
                .restarts(1)
                .running(NOW.plusSeconds(1))
                .build(),
            ContainerSample.named(Names.SIDECAR).imageId("digest").running().build())
        .build();
  }
}
