package io.sei.operator.node.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PodUpdate.How;
import io.sei.operator.render.Names;
import io.sei.operator.testkit.Denials;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.RequestLog.Request;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A pod that serves is given other images once its Kubernetes node has them. */
class PulledFirstTest extends InPlaceTestCase {

  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofMinutes(3);

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
