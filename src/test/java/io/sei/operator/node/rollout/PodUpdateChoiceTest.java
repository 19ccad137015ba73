package io.sei.operator.node.rollout;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTaskBuilder;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.PodUpdate.ResizedContainer;
import io.sei.operator.api.v1alpha1.PodUpdateBuilder;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskPlanBuilder;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.diagnosis.ObservedPod;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.rollout.PodUpdateChoice.Candidate;
import io.sei.operator.node.rollout.PodUpdateChoice.Change;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.End;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Decides when the images and resources of a pod are changed, and when it is deleted. */
class PodUpdateChoiceTest {

  private static final String BODY = "v1:body";

  private static final Candidate IMAGES_ALONE =
      new Candidate(
          pod("sei:a"),
          pod("sei:a"),
          template("sei:a"),
          template("sei:b"),
          plan(),
          false,
          false,
          null,
          null);

  /**
   * @param what for the name of the test
   * @param why null: in place
   */
  private record Row(String what, UnaryOperator<Candidate> but, String why) {
    @Override
    public String toString() {
      return what;
    }
  }

  static Stream<Row> rows() {
    return Stream.concat(ofTheNode(), ofThePod());
  }

  private static Stream<Row> ofTheNode() {
    return Stream.of(
        new Row("images alone", candidate -> candidate, null),
        new Row(
            "a pod without the digest of its body",
            candidate -> candidate.withPod(without(candidate.pod(), Annotations.BODY_HASH)),
            "the pod was made by the Go operator"),
        new Row(
            "another body",
            candidate -> candidate.withWanted(withBody(candidate.wanted(), "v1:other")),
            "more than its images and resources changes"),
        new Row(
            "a hold",
            candidate -> candidate.withApart("spec.maintenance.hold is set"),
            "spec.maintenance.hold is set"),
        new Row(
            "a configuration that is to be applied first",
            candidate ->
                candidate.withPlan(
                    plan(SidecarTaskTypes.CONFIG_APPLY, SidecarTaskTypes.MARK_READY)),
            "its configuration changes, and seid reads that at its start"),
        new Row(
            "nothing to be done by the sidecar but to let seid start",
            candidate -> candidate.withPlan(plan(SidecarTaskTypes.MARK_READY)),
            null),
        new Row(
            "a lost machine",
            candidate -> candidate.withLost(true),
            "its Kubernetes node does not report"));
  }

  private static Stream<Row> ofThePod() {
    return Stream.of(
        new Row(
            "a pod that is not bound",
            candidate -> candidate.withPod(aPod(candidate.pod()).on(null).build()),
            "the pod has not started"),
        new Row(
            "a pod that still starts",
            candidate -> candidate.withPod(aPod(candidate.pod()).phase("Pending").build()),
            "the pod has not started"),
        new Row(
            "a revision that is gone",
            candidate -> candidate.withOwn(null),
            "the revision that the pod is of is not known"),
        new Row(
            "images that admission rewrote",
            candidate ->
                candidate
                    .withPod(rewritten(candidate.pod()))
                    .withSince(rewritten(candidate.since())),
            null),
        new Row(
            "an image that the pod was given by hand",
            candidate -> candidate.withPod(pod("sei:b")),
            "neither images nor resources change"),
        new Row(
            "resources that a running pod cannot be given",
            candidate -> candidate.withWanted(requesting(candidate.wanted(), "ephemeral-storage")),
            "its resources change in more than CPU and memory"),
        new Row(
            "nothing",
            candidate -> candidate.withWanted(template("sei:a")),
            "neither images nor resources change"),
        new Row(
            "a container that waits for its image",
            candidate ->
                candidate.withPod(
                    aPod(candidate.pod())
                        .statuses(
                            ContainerSample.named("seid")
                                .waiting("ImagePullBackOff", "sei:a")
                                .build())
                        .build()),
            "container seid has not run in this pod"),
        new Row(
            "an image that has crashed in this pod",
            candidate -> candidate.withLast(crashed("pod-1", "sei:b")),
            "image sei:b has crashed in this pod"),
        new Row(
            "the same of a pod that must not be ended",
            candidate -> candidate.withKept(true).withLast(crashed("pod-1", "sei:b")),
            null),
        new Row(
            "an image that has crashed in another pod",
            candidate -> candidate.withLast(crashed("pod-0", "sei:b")),
            null),
        new Row(
            "another image that has crashed in this pod",
            candidate -> candidate.withLast(crashed("pod-1", "sei:c")),
            null));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void choosesByWhatDiffers(Row row) {
    PodUpdateChoice choice = PodUpdateChoice.of(row.but().apply(IMAGES_ALONE));

    assertThat(choice)
        .isEqualTo(
            row.why() == null
                ? new PodUpdateChoice.InPlace(
                    List.of(
                        new Change("seid", "sei:a", "sei:b", true),
                        new Change("seid-init", "sei:a", "sei:b", false)),
                    List.of())
                : new PodUpdateChoice.Recreate(row.why()));
  }

  @Test
  void resourcesAreChangedWithOrWithoutImages() {
    var cpu = List.of(new ResizedContainer("seid", Map.of(), Map.of("requests.cpu", "1")));
    PodTemplateSpec same = requesting(template("sei:a"), "cpu");
    PodTemplateSpec other = requesting(template("sei:b"), "cpu");

    assertThat(PodUpdateChoice.of(IMAGES_ALONE.withWanted(same)))
        .isEqualTo(new PodUpdateChoice.InPlace(List.of(), cpu));
    assertThat(PodUpdateChoice.of(IMAGES_ALONE.withWanted(other)))
        .isInstanceOfSatisfying(
            PodUpdateChoice.InPlace.class,
            place -> {
              assertThat(place.changes()).hasSize(2);
              assertThat(place.resized()).isEqualTo(cpu);
            });
  }

  @Test
  void patchNamesThePodThatWasReadAndWhatChangesOfIt() {
    Candidate it = IMAGES_ALONE;

    assertThat(
            PodPatch.of(
                it.pod(),
                it.wanted(),
                "node-2",
                PodUpdateChoice.changes(it.pod(), it.own(), it.wanted())))
        .isEqualTo(
            """
            {"metadata":{"uid":"pod-1","resourceVersion":"7",\
            "labels":{"controller-revision-hash":"node-2","sei.io/revision":null},\
            "annotations":{"sei.io/spec-hash":"v1:sei:b"}},\
            "spec":{"containers":[{"name":"seid","image":"sei:b"}],\
            "initContainers":[{"name":"seid-init","image":"sei:b"}]}}\
            """);
  }

  /** The record names containers that run; what has ended already is changed with them. */
  @Test
  void recordedUpdateLeavesOtherRewrittenContainersAlone() {
    PodUpdate update = update(rewritten(pod("sei:a")));

    assertThat(PodUpdateChoice.recorded(rewritten(pod("sei:a")), template("sei:b"), update))
        .extracting(Change::container, Change::to)
        .containsExactly(tuple("seid", "sei:b"), tuple("seid-init", "sei:b"));
  }

  @ParameterizedTest
  @CsvSource({
    "sei:b,               true",
    "mirror.example/sei:b, true",
    "mirror.example/sei:a, false",
  })
  void patchIsInThePodUnlessItsImageIsTheOneBefore(String image, boolean isIn) {
    PodUpdate update = update(rewritten(pod("sei:a"))).withRevision("node-2");
    Pod patched =
        aPod(pod(image))
            .label("controller-revision-hash", "node-2")
            .annotation(Annotations.SPEC_HASH, "v1:sei:b")
            .build();

    assertThat(PodPatch.isIn(patched, template("sei:b"), update)).isEqualTo(isIn);
  }

  @Test
  void imageThatCrashedIsKnownByTheNameThatWasAskedFor() {
    Pod crashed =
        aPod(rewritten(pod("sei:a")))
            .statuses(ContainerSample.named("seid").ended(End.exit(2, null)).build())
            .build();

    assertThat(PodUpdateChoice.crashedImages(crashed, template("sei:a"), null))
        .containsExactly("sei:a");
    assertThat(PodUpdateChoice.crashedImages(crashed, null, null))
        .containsExactly("mirror.example/sei:a");
  }

  private static PodUpdate update(Pod before) {
    return PodUpdateBuilder.builder()
        .podUid("pod-1")
        .containers(List.of(ObservedPod.before(before, "seid", "sei:b")))
        .build();
  }

  private static Pod rewritten(Pod pod) {
    return new PodBuilder(pod)
        .editSpec()
        .withContainers(rewritten(pod.getSpec().getContainers()))
        .withInitContainers(rewritten(pod.getSpec().getInitContainers()))
        .endSpec()
        .build();
  }

  private static List<Container> rewritten(List<Container> containers) {
    return containers.stream()
        .map(
            container ->
                new ContainerBuilder(container)
                    .withImage("mirror.example/" + container.getImage())
                    .build())
        .toList();
  }

  private static PodUpdate crashed(String pod, String image) {
    return PodUpdateBuilder.builder().podUid(pod).crashedImages(List.of(image)).build();
  }

  private static TaskPlan plan(String... sidecarTasks) {
    return TaskPlanBuilder.builder()
        .kind(PlanKind.UPDATE)
        .tasks(
            Stream.concat(Stream.of(TaskTypes.REPLACE_POD), Stream.of(sidecarTasks))
                .map(
                    text ->
                        PlannedTaskBuilder.builder().type(text).status(TaskStatus.PENDING).build())
                .toList())
        .build();
  }

  private static Pod pod(String image) {
    Pod pod =
        aPod("node-0")
            .uid("pod-1")
            .on("machine")
            .phase("Running")
            .annotation(Annotations.BODY_HASH, BODY)
            .statuses(ContainerSample.named("seid").run("run-1").running().build())
            .initStatuses(ContainerSample.named("seid-init").run("run-0").running().build())
            .build();
    PodTemplateSpec template = template(image);
    return new PodBuilder(pod)
        .editMetadata()
        .withResourceVersion("7")
        .endMetadata()
        .editSpec()
        .withContainers(template.getSpec().getContainers())
        .withInitContainers(template.getSpec().getInitContainers())
        .endSpec()
        .build();
  }

  private static PodTemplateSpec template(String image) {
    return new PodTemplateSpecBuilder()
        .withNewMetadata()
        .addToAnnotations(Annotations.BODY_HASH, BODY)
        .addToAnnotations(Annotations.SPEC_HASH, "v1:" + image)
        .endMetadata()
        .withNewSpec()
        .withContainers(
            new ContainerBuilder().withName("seid").withImage(image).build(),
            new ContainerBuilder().withName("cosmos-exporter").withImage("exporter:1").build())
        .withInitContainers(new ContainerBuilder().withName("seid-init").withImage(image).build())
        .endSpec()
        .build();
  }

  private static PodTemplateSpec withBody(PodTemplateSpec template, String body) {
    return new PodTemplateSpecBuilder(template)
        .editMetadata()
        .addToAnnotations(Annotations.BODY_HASH, body)
        .endMetadata()
        .build();
  }

  private static PodTemplateSpec requesting(PodTemplateSpec template, String resource) {
    return new PodTemplateSpecBuilder(template)
        .editSpec()
        .editFirstContainer()
        .withNewResources()
        .addToRequests(resource, new Quantity("1"))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  private static Pod without(Pod pod, String annotation) {
    return new PodBuilder(pod)
        .editMetadata()
        .removeFromAnnotations(annotation)
        .endMetadata()
        .build();
  }
}
