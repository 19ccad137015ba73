package io.sei.operator.node.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PodUpdate.How;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.diagnosis.SeidState;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.Denials;
import io.sei.operator.testkit.FaultyApiServer.Answered;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.net.HttpURLConnection;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Updates pods in place while a component is late, or a user changes the spec again or edits the
 * pod.
 */
class InPlaceRacesTest extends InPlaceTestCase {

  private static final String REVISION = "controller-revision-hash";
  private static final Predicate<Request> POD_PATCH =
      request -> request.method().equals("PATCH") && request.path().endsWith("/pods/" + POD);

  private final CountDownLatch late = new CountDownLatch(1);

  @AfterEach
  void letGo() {
    late.countDown();
  }

  @Test
  void patchThatArrivesAfterANewLeaderHasWithdrawnItIsRefused() {
    operatorBehindADoor().start();
    createInPlace();
    String pod = podUid();
    door.inject(POD_PATCH, ApiFault.hangUntil(late));
    setImage(B);
    eventually(() -> assertThat(door.received()).anyMatch(POD_PATCH));
    door.inject(request -> true, ApiFault.hangUntil(late));
    assertThat(update().how()).isEqualTo(How.IN_PLACE);
    setImage(A);

    operatorAs(controlPlane.config(ControlPlane.OPERATOR)).start();
    awaitUpToDate(A);
    eventually(() -> assertThat(update()).isNull());
    late.countDown();

    eventually(
        () ->
            assertThat(door.answered())
                .filteredOn(answered -> POD_PATCH.test(answered.request()))
                .extracting(Answered::status)
                .isNotEmpty()
                .containsOnly(HttpURLConnection.HTTP_CONFLICT));
    stays(() -> assertThat(runningImage()).isEqualTo(A));
    assertThat(podUid()).isEqualTo(pod);
    assertThat(container(Names.SEID).getRestartCount()).isZero();
    assertThat(Annotations.of(pod(), Annotations.UPDATE_WITHDRAWN)).isPresent();
  }

  /**
   * Both tags have one digest, so that the kubelet's report of the running image is the same; its
   * start is reported in seconds.
   */
  @Tag("long")
  @Test
  void runThatAFrozenKubeletTellsOfLaterIsNotTakenForOneOfTheNewImage() {
    String again = KubeletSimulator.anotherTagOf(A);
    createInPlace();
    String listed = "{'name':'v3','height':300,'image':'%s'}".formatted(again);
    // The Kubernetes node is known to have it then.
    patch("{'spec':{'upgrades':[%s]}}".formatted(listed));
    eventually(
        () ->
            assertThat(node().getStatus().upgrades().get(0).state()).isEqualTo(UpgradeState.READY));
    String first = container(Names.SEID).getContainerID();
    Instant nextSecond = SeidState.of(pod()).runningSince().orElseThrow().plusSeconds(1);
    eventually(() -> assertThat(Instant.now()).isAfter(nextSecond));
    kubelet.freeze();
    kubelet.halt(namespace, POD, "v2", 100);
    patch(
        "{'spec':{'image':'%s','upgrades':[{'name':'v2','height':100,'image':'%s'},%s]}}"
            .formatted(again, C, listed));
    eventually(() -> assertThat(runningImage()).isEqualTo(again));

    kubelet.report();

    eventually(() -> assertThat(container(Names.SEID).getContainerID()).isNotEqualTo(first));
    stays(
        () -> {
          assertThat(node().getStatus().currentImage()).isEqualTo(A);
          assertThat(condition(NodeConditionType.UP_TO_DATE).isTrue()).isFalse();
          assertThat(node().getStatus().upgrades().get(0).isAhead()).isTrue();
        });

    kubelet.thaw();

    awaitUpToDate(again);
    stays(() -> assertThat(runningImage()).isEqualTo(again));
    assertThat(node().getStatus().upgrades().get(0).isAhead()).isTrue();
    assertThat(events(NODE, "UpgradeReached")).isEmpty();
    assertThat(podDeletes()).isZero();
  }

  @Tag("long")
  @Test
  void controllerThatHasNotSeenTheTemplateIsWaitedFor() {
    createInPlace();
    var denials = new Denials(client, namespace);
    denials.deny("statefulsets/status", NODE, Denials.Answer.FORBIDDEN, "UPDATE");
    setImage(B);
    awaitStep("replace-pod");

    stays(
        () -> {
          assertThat(runningImage()).isEqualTo(A);
          assertThat(update().revision()).as("of a record that is not decided yet").isNull();
        });

    denials.allow("statefulsets/status");
    awaitUpToDate(B);
    assertThat(podDeletes()).isZero();
    assertThat(pod().getMetadata().getLabels())
        .containsEntry(REVISION, statefulSet().getStatus().getUpdateRevision());
  }

  @Test
  @Tag("long")
  void editsByHandAndAnEarlierOperatorsPodCostAPodAndNoMistake() {
    createInPlace();
    editPod("{'metadata':{'labels':{'%s':'by-hand'}}}".formatted(REVISION));

    setImage(B);

    awaitUpToDate(B);
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(update().message()).isEqualTo("the revision that the pod is of is not known");
    editPod("{'metadata':{'annotations':{'%s':null}}}".formatted(Annotations.BODY_HASH));

    setImage(C);

    awaitUpToDate(C);
    assertThat(podDeletes()).isEqualTo(2);
    assertThat(update().message()).isEqualTo("the pod was made by the Go operator");
    editPod("{'metadata':{'annotations':{'%s':'by-hand'}}}".formatted(Annotations.SPEC_HASH));
    stays(() -> assertThat(podDeletes()).isEqualTo(2));

    setImage(A);

    awaitUpToDate(A);
    assertThat(podDeletes()).isEqualTo(2);
    assertThat(update().how()).isEqualTo(How.IN_PLACE);
    assertThat(Annotations.of(pod(), Annotations.SPEC_HASH))
        .contains(node().getStatus().podSpecHash());
  }

  /** Labels the pod as if it had been changed already, which its images deny. */
  @Tag("long")
  @Test
  void labelOfTheNewRevisionWithoutItsImagesEndsInANewPod() {
    operatorBehindADoor().start();
    createInPlace();
    door.inject(
        1,
        POD_PATCH,
        ApiFault.after(
            () ->
                editPod(
                    "{'metadata':{'labels':{'%s':'%s'}}}"
                        .formatted(REVISION, statefulSet().getStatus().getUpdateRevision()))));

    setImage(B);

    awaitUpToDate(B);
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(update().how()).isEqualTo(How.RECREATE);
  }

  /** The StatefulSet uses the revisions of both images again. */
  @Tag("long")
  @Test
  void imagesGoBackAndForthInOnePod() {
    createInPlace();
    String pod = podUid();

    setImage(B);
    awaitUpToDate(B);
    setImage(A);
    awaitUpToDate(A);
    setImage(B);
    awaitUpToDate(B);

    assertThat(podUid()).isEqualTo(pod);
    assertThat(container(Names.SEID).getRestartCount()).isEqualTo(3);
    assertThat(update().crashedImages()).isEmpty();
    assertThat(requests("POST", "/jobs")).as("pulls of what the pod had before").hasSize(1);
  }

  private void editPod(String patch) {
    patch(pod(), patch);
  }
}
