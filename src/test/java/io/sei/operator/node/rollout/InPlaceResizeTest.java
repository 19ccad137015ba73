package io.sei.operator.node.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.PodUpdate.How;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.Denials;
import io.sei.operator.testkit.KillSwitch;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.Rights;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that asks for updates in place keeps its pod where its resources change. */
@Tag("since-1.33")
class InPlaceResizeTest extends InPlaceTestCase {

  private static final ResourceRequirements FOUR =
      new ResourceRequirementsBuilder()
          .addToRequests("cpu", new Quantity("4"))
          .addToRequests("memory", new Quantity("1Gi"))
          .build();

  private static final Predicate<Request> RESIZE =
      request -> request.method().equals("PATCH") && request.path().endsWith("/resize");

  private static final Duration PAST_THE_DEADLINE = Duration.ofHours(1);

  private static final Predicate<Request> STAMP =
      request -> request.method().equals("PATCH") && request.path().endsWith("/pods/" + POD);

  @Test
  void cpuRequestGoesUpAndDownAndNothingRestarts() {
    createInPlace(FOUR);
    Pod before = pod();

    requestCpu("6");

    awaitCpu("6");
    eventually(
        () ->
            assertThat(events(NODE, "PodUpdated"))
                .extracting(Event::getMessage)
                .containsExactly("changed in place: requests.cpu of seid 4 -> 6"));

    requestCpu("500m");

    awaitCpu("500m");
    assertNothingRestarted(before);
    assertThat(update().how()).isEqualTo(How.IN_PLACE);
    assertThat(update().changedAt()).isNotNull();
    assertThat(operator.scrape()).contains("sei_pod_updates_total{how=\"InPlace\"} 2.0");
    assertThat(pod().getMetadata().getLabels())
        .containsEntry("controller-revision-hash", statefulSet().getStatus().getUpdateRevision());
    eventually(() -> assertThat(statefulSet().getStatus().getUpdatedReplicas()).isEqualTo(1));
  }

  @Tag("long")
  @Test
  void requestsOfTheSidecarGrowInItsPod() {
    createInPlace(FOUR);
    Pod before = pod();

    patch(
        "{'spec':{'sidecar':{'resources':{'requests':{'cpu':'50m','memory':'256Mi'},'limits':{'memory':'2Gi'}}}}}");

    awaitUpToDate(A);
    assertNothingRestarted(before);
    assertThat(container(Names.SIDECAR).getResources().getRequests())
        .containsEntry("memory", new Quantity("256Mi"));
  }

  @Tag("long")
  @Test
  void resourcesComeBeforeTheImageOfTheSameEdit() {
    createInPlace(FOUR);
    String pod = podUid();

    patch("{'spec':{'image':'%s','resources':{'requests':{'cpu':'6'}}}}".formatted(B));

    awaitUpToDate(B);
    awaitCpu("6");
    assertThat(podUid()).isEqualTo(pod);
    assertThat(container(Names.SEID).getRestartCount()).isEqualTo(1);
    assertThat(requests("PATCH", "/pods/" + POD))
        .extracting(request -> RESIZE.test(request) ? "resize" : "image")
        .containsExactly("resize", "image");
  }

  @Tag("long")
  @Test
  void podThatItsMachineIsTooSmallForIsKeptAndGoesBack() {
    kubelet.inject(namespace, POD, PodFault.RESIZE_INFEASIBLE);
    createInPlace(FOUR);
    Pod before = pod();

    requestCpu("64");

    awaitStalled(StallReason.POD_RESIZE_PENDING);
    assertThat(plan().currentTask())
        .map(PlannedTask::message)
        .contains(condition(NodeConditionType.STALLED).message());
    assertThat(condition(NodeConditionType.STALLED).message())
        .startsWith(
            "the pod is to have requests.cpu of seid 4 -> 64, and the kubelet has not applied that:"
                + " Infeasible: Node didn't have enough capacity: cpu, requested: 64000, capacity:"
                + " 16000; ")
        .endsWith("set the annotation sei.io/restart-requested-at");
    stays(() -> assertCondition(NodeConditionType.READY, ConditionStatus.TRUE));
    assertThat(Annotations.of(pod(), Annotations.SPEC_HASH))
        .isEqualTo(Annotations.of(before, Annotations.SPEC_HASH));

    requestCpu("4");

    awaitGivenBack(before);
  }

  @Tag("long")
  @Test
  void podThatThereIsNoRoomForNowIsResizedOnceThereIs() {
    kubelet.inject(namespace, POD, PodFault.RESIZE_DEFERRED);
    createInPlace(FOUR);
    Pod before = pod();
    requestCpu("64");
    eventually(
        () ->
            assertThat(plan().currentTask())
                .map(PlannedTask::message)
                .hasValueSatisfying(message -> assertThat(message).contains("Deferred: ")));
    assertThat(condition(NodeConditionType.STALLED).isTrue()).isFalse();

    kubelet.clear(namespace, POD);

    awaitCpu("64");
    assertNothingRestarted(before);
  }

  /** Its place is no good to it. */
  @Tag("long")
  @Test
  void podThatIsNotReadyIsReplacedWhereThereIsNoRoom() {
    kubelet.inject(namespace, POD, PodFault.RESIZE_DEFERRED);
    createInPlace(FOUR);
    kubelet.inject(namespace, POD, PodFault.NEVER_READY);
    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, NodeReason.POD_NOT_READY);

    requestCpu("64");

    eventually(() -> assertThat(podDeletes()).isEqualTo(1));
    assertThat(update().message())
        .startsWith("the kubelet does not resize the pod, which is not Ready: Deferred: ");
    kubelet.clear(namespace, POD);
    awaitCpu("64");
  }

  /** The pod is given what it had before anything else is made of it. */
  @Tag("long")
  @Test
  void resizeThatIsWithdrawnInTheMiddleIsUndone() {
    createInPlace(FOUR);
    Pod before = pod();
    awaitAnotherLookAtNodes();
    // The plan, the StatefulSet (written and read), its revision, what is done.
    operator.killSwitch().arm(5, KillSwitch.Moment.AFTER);
    requestCpu("6");
    eventually(() -> assertThat(operator.killSwitch().hasStruck()).isTrue());
    assertThat(operator.killSwitch().lastRequest()).startsWith("PATCH").endsWith("/resize");
    operator.stop();

    patch("{'spec':{'resources':{'requests':{'cpu':'4'}}}}");
    operator.killSwitch().disarm();
    operator.start();

    awaitGivenBack(before);
  }

  /** Another pod has taken what this one had given up. */
  @Tag("long")
  @Test
  void podThatThereIsNoRoomForOnItsWayBackIsReported() {
    operatorBehindADoor().start();
    createInPlace(FOUR);
    Pod before = pod();
    door.inject(STAMP, ApiFault.error(HttpURLConnection.HTTP_CONFLICT, "Conflict"));
    requestCpu("2");
    eventually(
        () ->
            assertThat(container(Names.SEID).getResources().getRequests())
                .containsEntry("cpu", new Quantity("2")));
    eventually(
        () -> assertThat(door.answered()).anyMatch(answered -> STAMP.test(answered.request())));
    kubelet.inject(namespace, POD, PodFault.RESIZE_DEFERRED);
    String withdrawn = plan().id();

    requestCpu("4");

    eventually(() -> assertThat(plan().id()).isNotEqualTo(withdrawn));
    door.heal();
    eventually(() -> assertThat(cpu(pod())).isEqualTo(new Quantity("4")));
    stays(() -> assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE));
    assertThat(plan().currentTask().orElseThrow().message())
        .startsWith("the pod is to have requests.cpu of seid 2 -> 4")
        .contains("Deferred: ");
    operator.clock().jumpTo(PAST_THE_DEADLINE);
    awaitAnotherLookAtNodes();
    awaitStalled(StallReason.POD_RESIZE_PENDING);
    kubelet.clear(namespace, POD);
    awaitGivenBack(before);
  }

  @Tag("long")
  @Test
  void limitThatIsTakenAwayCostsAPod() {
    createInPlace(FOUR);
    patch("{'spec':{'resources':{'limits':{'memory':'2Gi'}}}}");
    awaitUpToDate(A);
    assertThat(podDeletes()).isZero();

    patch("{'spec':{'resources':{'limits':null}}}");

    awaitUpToDate(A);
    assertThat(podDeletes()).isEqualTo(1);
    assertCondition(
        NodeConditionType.UPDATES_IN_PLACE, ConditionStatus.FALSE, NodeReason.POD_PATCH_REFUSED);
    assertThat(update().message()).contains("resource limits cannot be removed");
  }

  /** Refuses the resize, as on a Kubernetes node that is too small, or by a quota. */
  @Tag("long")
  @Test
  void readyPodIsKeptWhereAPolicyForbidsTheResize() {
    createInPlace(FOUR);
    Pod before = pod();
    new Denials(client, namespace).deny("pods/resize", POD, Denials.Answer.FORBIDDEN, "UPDATE");

    requestCpu("6");

    awaitStalled(StallReason.POD_RESIZE_PENDING);
    assertThat(condition(NodeConditionType.STALLED).message())
        .startsWith(
            "the pod is to have requests.cpu of seid 4 -> 6, and the API server refuses that")
        .contains("the platform team says no");
    stays(() -> assertCondition(NodeConditionType.READY, ConditionStatus.TRUE));
    requestCpu("4");
    awaitUpToDate(A);
    assertNothingRestarted(before);
  }

  @Test
  void missingRightIsReportedByNameAndThePodIsReplaced() {
    var rights = new Rights(client, namespace).without("jobs");
    operatorAs(rights.config(controlPlane.config(ControlPlane.OPERATOR))).start();
    createInPlace(FOUR);

    requestCpu("6");

    awaitCpu("6");
    assertThat(podDeletes()).isEqualTo(1);
    assertCondition(
        NodeConditionType.UPDATES_IN_PLACE, ConditionStatus.FALSE, NodeReason.POD_PATCH_FORBIDDEN);
    assertThat(condition(NodeConditionType.UPDATES_IN_PLACE).message())
        .contains("cannot patch resource \"pods/resize\"", "rbac.updatePodsInPlace");
  }

  @Tag("long")
  @Test
  void olderApiServerCostsAPod() {
    operatorBehindADoor().start();
    createInPlace(FOUR);
    door.inject(RESIZE, ApiFault.error(HttpURLConnection.HTTP_NOT_FOUND, "NotFound"));

    requestCpu("6");

    awaitCpu("6");
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(update().message()).contains("before Kubernetes 1.33");
    assertCondition(NodeConditionType.UPDATES_IN_PLACE, ConditionStatus.TRUE);
  }

  @Tag("long")
  @Test
  void answerThatDoesNotCarryWhatWasSentCostsAPod() {
    operatorBehindADoor().start();
    createInPlace(FOUR);
    String unchanged = client.getKubernetesSerialization().asJson(pod());
    door.inject(RESIZE, request -> Optional.of(new ApiFault.Answer(200, Map.of(), unchanged)));

    requestCpu("6");

    awaitCpu("6");
    assertThat(podDeletes()).isEqualTo(1);
    assertCondition(
        NodeConditionType.UPDATES_IN_PLACE, ConditionStatus.FALSE, NodeReason.POD_PATCH_CHANGED);
  }

  private void requestCpu(String amount) {
    patch("{'spec':{'resources':{'requests':{'cpu':'%s'}}}}".formatted(amount));
  }

  /** Waits for the CPU that the kubelet reports, which is recorded. */
  private void awaitCpu(String amount) {
    eventually(
        () -> {
          assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE);
          assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
          assertThat(cpu(pod())).isEqualTo(new Quantity(amount));
          assertThat(container(Names.SEID).getResources().getRequests())
              .containsEntry("cpu", new Quantity(amount));
        });
  }

  private static Quantity cpu(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .filter(container -> container.getName().equals(Names.SEID))
        .map(Container::getResources)
        .map(requirements -> requirements.getRequests().get("cpu"))
        .findFirst()
        .orElseThrow();
  }

  private void assertNothingRestarted(Pod before) {
    assertThat(podDeletes()).isZero();
    assertThat(runs(pod())).isEqualTo(runs(before));
  }

  private static List<String> runs(Pod pod) {
    return pod.getStatus().getContainerStatuses().stream()
        .map(ContainerStatus::getContainerID)
        .toList();
  }

  private void awaitGivenBack(Pod before) {
    awaitUpToDate(A);
    eventually(() -> assertThat(update()).isNull());
    assertThat(cpu(pod())).isEqualTo(new Quantity("4"));
    assertNothingRestarted(before);
  }
}
