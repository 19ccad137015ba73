package io.sei.operator.node.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PodUpdate.How;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.Denials;
import io.sei.operator.testkit.MutatingWebhook;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.Rights;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A node that asks for updates in place keeps its pod where its images change, and pulls them
 * first.
 */
class InPlaceUpdateTest extends InPlaceTestCase {

  /**
   * Status writes of one update: its plan, the pod that is no longer Ready, the end of the plan,
   * and a pod that is Ready only after that. An idle machine sees two or three of these together.
   */
  private static final int STATUS_WRITES = 4;

  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofMinutes(3);

  @Test
  void imageOfARunningNodeIsChangedInItsPod() {
    createInPlace();
    String pod = podUid();
    ContainerStatus sidecar = container(Names.SIDECAR);

    setImage(B);

    awaitUpToDate(B);
    awaitCondition(NodeConditionType.READY, ConditionStatus.TRUE, "PodReady");
    assertThat(podUid()).isEqualTo(pod);
    assertThat(podDeletes()).isZero();
    assertThat(container(Names.SIDECAR).getContainerID()).isEqualTo(sidecar.getContainerID());
    assertThat(container(Names.SEID).getRestartCount()).isEqualTo(1);
    assertThat(pod().getMetadata().getLabels())
        .containsEntry("controller-revision-hash", statefulSet().getStatus().getUpdateRevision());
    assertThat(Annotations.of(pod(), Annotations.SPEC_HASH))
        .contains(node().getStatus().podSpecHash());
    assertThat(update().how()).isEqualTo(How.IN_PLACE);
    assertThat(update().changedAt()).isNotNull();
    eventually(
        () ->
            assertThat(events(NODE, "PodUpdated"))
                .extracting(Event::getMessage)
                .containsExactly("changed in place: image %s -> %s".formatted(A, B)));
    assertThat(operator.scrape()).contains("sei_pod_updates_total{how=\"InPlace\"} 1.0");
    eventually(() -> assertThat(statefulSet().getStatus().getUpdatedReplicas()).isEqualTo(1));
  }

  @Tag("long")
  @Test
  void nodeThatHaltedGoesOnInItsPodAndNothingOfTheRunBeforeIsHeldAgainstTheNewOne() {
    createInPlace();
    String pod = podUid();
    patch("{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}".formatted(B));

    kubelet.halt(namespace, POD, "v2", 100);

    awaitUpToDate(B);
    awaitCondition(NodeConditionType.READY, ConditionStatus.TRUE, "PodReady");
    assertThat(podUid()).isEqualTo(pod);
    assertThat(podDeletes()).isZero();
    assertThat(node().getStatus().upgrades().get(0).state()).isEqualTo(UpgradeState.APPLIED);
    assertThat(update().crashedImages()).containsExactly(A);
    assertThat(events(NODE, "UpgradeReached")).hasSize(1);
    assertThat(events(NODE, "HaltedAtUpgrade")).isEmpty();
    assertThat(condition(NodeConditionType.STALLED).isTrue()).isFalse();
  }

  @Tag("long")
  @Test
  void evidenceOfTheImageBeforeSwitchesNothingAgainAndThatImageGetsANewPod() {
    createInPlace();
    kubelet.halt(namespace, POD, "v2", 100);
    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, "HaltedAtUpgrade");
    setImage(B);
    awaitUpToDate(B);
    awaitCondition(NodeConditionType.READY, ConditionStatus.TRUE, "PodReady");

    patch("{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}".formatted(C));

    stays(() -> assertThat(pod().getSpec().getContainers().get(0).getImage()).isEqualTo(B));
    assertThat(node().getStatus().upgrades().get(0).isAhead()).isTrue();

    setImage(A);

    eventually(
        () ->
            assertThat(update().message())
                .isEqualTo("image %s has crashed in this pod".formatted(A)));
    eventually(() -> assertThat(podDeletes()).isEqualTo(1));
  }

  @Test
  @Tag("long")
  void editThatIsTakenBackRevivesNoEvidence() {
    kubelet.injectForImage(C, PodFault.IMAGE_PULL);
    createInPlace();
    kubelet.halt(namespace, POD, "v2", 100);
    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, "HaltedAtUpgrade");
    setImage(B);
    awaitUpToDate(B);
    awaitCondition(NodeConditionType.READY, ConditionStatus.TRUE, "PodReady");
    setImage(C);
    awaitStalled("ImagePull");
    setImage(B);
    awaitUpToDate(B);

    patch("{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}".formatted("sei:v4"));

    stays(() -> assertThat(runningImage()).isEqualTo(B));
    assertThat(node().getStatus().upgrades().get(0).isAhead()).isTrue();
  }

  @Tag("long")
  @Test
  void crashesOfTheNewImageCountFromItsFirstRun() {
    createInPlace();
    kubelet.halt(namespace, POD, "v2", 100);
    eventually(() -> assertThat(container(Names.SEID).getRestartCount()).isGreaterThan(3));
    kubelet.injectForImage(B, new PodFault.CrashLoop(1));

    setImage(B);

    awaitStalled("CrashLoop");
    String message = condition(NodeConditionType.STALLED).message();
    int counted = Integer.parseInt(message.replaceFirst("(?s).*restarts: (\\d+).*", "$1"));
    assertThat(message).doesNotContain("UPGRADE");
    assertThat(container(Names.SEID).getRestartCount() - counted)
        .as("restarts of the image before")
        .isGreaterThan(3);
    assertThat(podDeletes()).isZero();

    setImage(C);

    awaitUpToDate(C);
    assertThat(podDeletes()).isZero();
    assertThat(update().crashedImages()).containsExactly(A, B);
  }

  @Test
  void imageThatCannotBePulledGetsANewPodOnceWhereSeidHasHalted() {
    createInPlace();
    String pod = podUid();
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    kubelet.halt(namespace, POD, "v2", 100);
    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, "HaltedAtUpgrade");

    setImage(B);

    awaitStalled("ImagePull");
    eventually(() -> assertThat(podDeletes()).isEqualTo(1));
    eventually(() -> assertThat(podUid()).isNotEqualTo(pod));
    assertThat(update().reason()).isEqualTo("ImagePull");
    setImage(C);
    awaitUpToDate(C);
  }

  @Tag("long")
  @Test
  void imageOfTheSidecarAloneLeavesSeidRunning() {
    createInPlace();
    String pod = podUid();
    ContainerStatus seid = container(Names.SEID);

    patch("{'spec':{'sidecar':{'image':'sidecar:other'}}}");

    eventually(
        () -> assertThat(node().getStatus().currentSidecarImage()).isEqualTo("sidecar:other"));
    awaitUpToDate(A);
    assertThat(podUid()).isEqualTo(pod);
    assertThat(container(Names.SEID).getContainerID()).isEqualTo(seid.getContainerID());
    assertThat(container(Names.SIDECAR).getRestartCount()).isEqualTo(1);
  }

  @Test
  @Tag("long")
  void moreThanAnImageGetsANewPod() {
    createInPlace();

    patch("{'spec':{'image':'%s','terminationGracePeriodSeconds':60}}".formatted(B));

    awaitUpToDate(B);
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(update().message()).isEqualTo("more than its images and resources changes");

    patch(
        "{'spec':{'image':'%s','resources':{'requests':{'ephemeral-storage':'1Gi'}}}}"
            .formatted(C));

    awaitUpToDate(C);
    assertThat(podDeletes()).isEqualTo(2);
    assertThat(update().message()).isEqualTo("its resources change in more than CPU and memory");

    patch("{'spec':{'image':'%s','overrides':{'mempool.size':'10'}}}".formatted(A));

    awaitUpToDate(A);
    assertThat(podDeletes()).isEqualTo(3);
    assertThat(update().message()).contains("its configuration changes");
  }

  @Tag("long")
  @Test
  void withoutThePolicyAPodIsReplacedAndNothingIsRecorded() {
    createRunning();

    setImage(B);

    awaitUpToDate(B);
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(update()).isNull();
    patch("{'spec':{'updatePolicy':{'pod':'InPlaceIfPossible'}}}");
    awaitCondition(
        NodeConditionType.UPDATES_IN_PLACE, ConditionStatus.TRUE, NodeReason.UPDATES_IN_PLACE);
    assertThat(podDeletes()).as("the policy restarts nothing").isEqualTo(1);
    patch("{'spec':{'updatePolicy':null}}");
    awaitCondition(
        NodeConditionType.UPDATES_IN_PLACE, ConditionStatus.FALSE, NodeReason.UPDATES_RECREATE);
  }

  @Tag("long")
  @Test
  void operatorThatIsSetToUpdatesInPlaceWhereANodeSaysNothing() {
    operator.stop();
    operator.with("SEI_UPDATE_PODS_IN_PLACE", "true").start();
    createRunning();

    setImage(B);

    awaitUpToDate(B);
    assertThat(podDeletes()).isZero();
    patch("{'spec':{'updatePolicy':{'pod':'Recreate'}}}");
    setImage(C);
    awaitUpToDate(C);
    assertThat(podDeletes()).isEqualTo(1);
  }

  @Test
  @Tag("long")
  void refusedPatchIsToldAndThePodIsReplaced() {
    createInPlace();
    new Denials(client, namespace).deny("pods", POD, Denials.Answer.INVALID, "UPDATE");

    setImage(B);

    awaitUpToDate(B);
    assertThat(podDeletes()).isEqualTo(1);
    assertCondition(
        NodeConditionType.UPDATES_IN_PLACE, ConditionStatus.FALSE, NodeReason.POD_PATCH_REFUSED);
    assertThat(condition(NodeConditionType.UPDATES_IN_PLACE).message())
        .contains("the platform team says no");
  }

  /** A webhook on the creation of pods only, and one on their updates as well. */
  static Stream<String> operations() {
    return Cases.of(1, "CREATE", "CREATE|UPDATE");
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("operations")
  void podKeepsRunningWhereAdmissionRewritesItsImages(String ofPods) {
    String[] operations = ofPods.split("\\|");
    try (var webhook = MutatingWebhook.mirroring(client, namespace, operations)) {
      create(inPlace());
      eventually(() -> assertRuns(A, MutatingWebhook.mirrored(A)));
      String pod = podUid();
      ContainerStatus sidecar = container(Names.SIDECAR);

      setImage(B);

      String given = operations.length == 1 ? B : MutatingWebhook.mirrored(B);
      eventually(() -> assertRuns(B, given));
      assertThat(podUid()).isEqualTo(pod);
      assertThat(podDeletes()).isZero();
      assertThat(container(Names.SIDECAR).getContainerID()).isEqualTo(sidecar.getContainerID());
      eventually(
          () ->
              assertThat(events(NODE, "PodUpdated"))
                  .extracting(Event::getMessage)
                  .containsExactly("changed in place: image %s -> %s".formatted(A, B)));
      // What crashed is known by the name that is asked for.
      kubelet.halt(namespace, POD, "v3", 100);
      awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, "HaltedAtUpgrade");
      setImage(C);
      eventually(() -> assertThat(update().crashedImages()).containsExactly(B));
    }
  }

  private void assertRuns(String image, String given) {
    assertThat(node().getStatus().currentImage()).isEqualTo(image);
    assertThat(runningImage()).isEqualTo(given);
    assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE);
    assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
  }

  @Test
  @Tag("long")
  void missingRightIsToldByNameAndThePodIsReplaced() {
    var rights = new Rights(client, namespace).without("pods");
    rights.grant("pods", "get", "delete");
    operatorAs(rights.config(controlPlane.config(ControlPlane.OPERATOR))).start();
    createInPlace();

    setImage(B);

    awaitUpToDate(B);
    assertThat(podDeletes()).isEqualTo(1);
    assertCondition(
        NodeConditionType.UPDATES_IN_PLACE, ConditionStatus.FALSE, NodeReason.POD_PATCH_FORBIDDEN);
    assertThat(condition(NodeConditionType.UPDATES_IN_PLACE).message())
        .contains("cannot patch resource \"pods\"", "rbac.updatePodsInPlace");
    rights.grant("pods");
    setImage(C);
    awaitUpToDate(C);
    assertThat(podDeletes()).isEqualTo(1);
    assertCondition(
        NodeConditionType.UPDATES_IN_PLACE, ConditionStatus.TRUE, NodeReason.UPDATES_IN_PLACE);
  }

  /**
   * Each act is one request on any machine. How many status writes there are depends on what is
   * seen together, and on steps that take longer than ten seconds, so the cheapest of three updates
   * counts.
   */
  @Test
  void updateInPlaceIsCheap() {
    createInPlace();
    eventually(() -> assertThat(occurrences("PlanComplete")).isEqualTo(1));

    List<Request> pulled = requestsOf(B, 1);
    List<Request> back = requestsOf(A, 2);
    List<Request> forth = requestsOf(B, 3);

    assertThat(acts(pulled))
        .containsExactly(
            "PATCH statefulsets", "POST jobs", "PATCH pods", "DELETE jobs", "POST events");
    // The machine has both images: nothing is pulled.
    assertThat(acts(back)).containsExactly("PATCH statefulsets", "PATCH pods", "POST events");
    assertThat(acts(forth)).containsExactly("PATCH statefulsets", "PATCH pods", "PATCH events");
    assertThat(back)
        .filteredOn(request -> request.method().equals("GET"))
        .extracting(InPlaceUpdateTest::brief)
        .containsExactly("GET statefulsets");
    assertThat(Stream.of(pulled, back, forth))
        .anyMatch(requests -> statusWrites(requests) <= STATUS_WRITES);
    assertThat(podDeletes()).isZero();
  }

  private List<Request> requestsOf(String image, int updates) {
    operator.requests().clear();
    setImage(image);
    awaitUpToDate(image);
    eventually(() -> assertThat(occurrences("PodUpdated")).isEqualTo(updates));
    return operator.requests().all();
  }

  private static List<String> acts(List<Request> requests) {
    return requests.stream()
        .filter(request -> !request.method().equals("GET") && !isOfStatus(request))
        .map(InPlaceUpdateTest::brief)
        .toList();
  }

  private static long statusWrites(List<Request> requests) {
    return requests.stream().filter(InPlaceUpdateTest::isOfStatus).count();
  }

  private static boolean isOfStatus(Request request) {
    return request.path().endsWith("/status");
  }

  /** Returns the method and the kind of object of a request. */
  private static String brief(Request request) {
    return request.method()
        + " "
        + request.path().replaceFirst(".*/namespaces/[^/]+/", "").replaceFirst("/.*", "");
  }

  /** A pod that serves is given other images once its Kubernetes node has them. */
  @Test
  void imageIsPulledFirstAndNothingIsLeft() {
    createInPlace();

    setImage(B);

    awaitUpToDate(B);
    assertThat(operator.requests().all())
        .filteredOn(request -> isOfAJob(request) || isPatchOfThePod(request))
        .extracting(Request::method)
        .containsExactly("POST", "PATCH", "DELETE");
    assertNothingIsPulled();
    assertThat(update().how()).isEqualTo(How.IN_PLACE);
  }

  @Test
  void imageThatCannotBePulledIsToldWhileThePodServes() {
    createInPlace();
    String pod = podUid();
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);

    setImage(B);

    awaitStalled("ImagePull");
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains(B, "check the image and its pull secret", "the pod serves");
    assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE);
    stays(() -> assertSeidRunsOn(pod));

    setImage(A);

    awaitUpToDate(A);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
    assertNothingIsPulled();
    assertSeidRunsOn(pod);
  }

  @Test
  @Tag("long")
  void imageThatIsPushedLateIsPulledThen() {
    createInPlace();
    String pod = podUid();
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    setImage(B);
    awaitStalled("ImagePull");
    kubelet.clearImage(B);

    operator.clock().jumpTo(UNTIL_TRIED_AGAIN);
    awaitAnotherLookAtNodes();

    awaitUpToDate(B);
    assertThat(podUid()).isEqualTo(pod);
    assertThat(condition(NodeConditionType.STALLED).isTrue()).isFalse();
  }

  @Tag("long")
  @Test
  void sidecarsImageThatCannotBePulledLeavesTheSidecarRunning() {
    createInPlace();
    String pod = podUid();
    String sidecar = container(Names.SIDECAR).getContainerID();
    kubelet.injectForImage("sidecar:bad", PodFault.IMAGE_PULL);

    patch("{'spec':{'sidecar':{'image':'sidecar:bad'}}}");

    awaitStalled("ImagePull");
    assertSeidRunsOn(pod);
    assertThat(container(Names.SIDECAR).getContainerID()).isEqualTo(sidecar);
  }

  /** A quota says nothing about the image. */
  @Tag("long")
  @Test
  void jobThatIsRefusedHoldsNothingUp() {
    createInPlace();
    new Denials(client, namespace).forbidAny("count/jobs.batch");

    setImage(B);

    awaitUpToDate(B);
    assertThat(podDeletes()).isZero();
  }

  private void assertSeidRunsOn(String pod) {
    assertThat(podUid()).isEqualTo(pod);
    assertThat(runningImage()).isEqualTo(A);
    assertThat(container(Names.SEID).getRestartCount()).isZero();
    assertCondition(NodeConditionType.READY, ConditionStatus.TRUE, "PodReady");
  }

  private void assertNothingIsPulled() {
    eventually(
        () -> {
          List<Job> jobs = readAll(Job.class);
          assertThat(jobs).isEmpty();
        });
  }

  private static boolean isOfAJob(Request request) {
    return request.path().contains("/jobs") && !request.method().equals("GET");
  }

  private static boolean isPatchOfThePod(Request request) {
    return request.method().equals("PATCH") && request.path().endsWith("/pods/" + POD);
  }
}
