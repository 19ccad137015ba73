package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.SidecarRequest;
import org.junit.jupiter.api.Test;

class SupersessionTest extends RolloutTestCase {

  @Test
  void badImageOfANewNodeCanBeReplaced() {
    kubelet.injectForImage(A, PodFault.IMAGE_PULL);
    String uid = create(spec(A)).getMetadata().getUid();
    awaitStalled(StallReason.IMAGE_PULL);
    assertThat(node().getStatus().phase()).isEqualTo(NodePhase.INITIALIZING);

    setImage(B);

    awaitUpToDate(B);
    assertThat(node().getMetadata().getUid()).isEqualTo(uid);
    assertThat(images()).containsExactly(A, B);
    eventually(() -> assertThat(occurrences("PlanSuperseded")).isEqualTo(1));
    assertThat(node().getStatus().currentImage()).isEqualTo(B);
  }

  @Test
  void runningSidecarTaskIsCancelledFirst() {
    createRunning();
    sidecarFaults().hold(MARK_READY);
    setImage(B);
    eventually(() -> assertThat(plan().currentTask().orElseThrow().submittedAt()).isNotNull());
    String task = plan().currentTask().orElseThrow().id();

    setImage(C);
    eventually(() -> assertThat(images()).containsExactly(A, B, C));
    sidecarFaults().release(MARK_READY);

    awaitUpToDate(C);
    assertThat(sidecar.requests(namespace, NODE))
        .anyMatch(request -> request.is("DELETE", "/v0/tasks/" + task));
    assertThat(images()).containsExactly(A, B, C);
  }

  @Test
  void sidecarThatCannotBeAskedHoldsUpNoNewPlan() {
    createRunning();
    sidecarFaults().hold(MARK_READY);
    setImage(B);
    eventually(() -> assertThat(plan().currentTask().orElseThrow().submittedAt()).isNotNull());
    sidecarFaults().down();

    setImage(C);
    eventually(() -> assertThat(runningImage()).isEqualTo(C));
    sidecarFaults().clear();

    awaitUpToDate(C);
    assertThat(images()).containsExactly(A, B, C);
  }

  @Test
  void whatAPlanHasDoneForTheSameObjectIsNotDoneAgain() {
    kubelet.injectForImage(A, PodFault.IMAGE_PULL);
    create(spec(A));
    awaitStep("observe-image");
    var claimTask = plan().tasks().get(0);
    sidecarFaults().hold(MARK_READY);

    setImage(B);
    eventually(() -> assertThat(plan().target().image()).isEqualTo(B));
    assertThat(plan().tasks().get(0)).isEqualTo(claimTask);
    sidecarFaults().release(MARK_READY);

    awaitUpToDate(B);
    assertThat(requests("POST", "/persistentvolumeclaims")).hasSizeLessThanOrEqualTo(1);
  }

  @Test
  void failedTaskIsSubmittedAgainWithTheSameId() {
    createRunning();
    // Fails until the failure has been seen: a status may tell of a step when the next is through.
    sidecarFaults().failAlways(MARK_READY, "disk is slow");
    int runs = markReadyRuns();

    setImage(B);
    eventually(
        () -> assertThat(plan().currentTask().orElseThrow().error()).contains("disk is slow"));
    String task = plan().currentTask().orElseThrow().id();
    sidecarFaults().clear();

    awaitUpToDate(B);
    int again = markReadyRuns() - runs;
    assertThat(again).isGreaterThanOrEqualTo(2);
    assertThat(
            sidecar.requests(namespace, NODE).stream()
                .filter(request -> request.is("POST", "/v0/tasks"))
                .map(SidecarRequest::body)
                .filter(body -> body.contains(task)))
        .hasSize(again);
    stays(() -> assertThat(images()).containsExactly(A, B));
  }
}
