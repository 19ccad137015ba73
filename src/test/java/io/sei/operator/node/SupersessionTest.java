package io.sei.operator.node;

import static io.sei.operator.plan.SidecarTaskTypes.SNAPSHOT_RESTORE;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.SidecarHome;
import io.sei.operator.testkit.SidecarRequest;
import io.sei.operator.testkit.SidecarVersion;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SupersessionTest extends ConfigTestCase {

  static Stream<SidecarVersion> versions() {
    return Cases.of(1, SidecarVersion.values());
  }

  private static final String S3 =
      "'peers':[{'static':{'addresses':['86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1','e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@i:1']}}],"
          + "'fullNode':{'snapshot':{'s3':{'targetHeight':%d}}}";

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

  @Tag("long")
  @ParameterizedTest
  @MethodSource("versions")
  void restoreGoesOnWhenSomethingElseIsEdited(SidecarVersion version) {
    sidecar.version(version);
    sidecarFaults().hold(SNAPSHOT_RESTORE);
    create(specOf(S3.formatted(1000)));
    eventually(() -> assertThat(executions(SNAPSHOT_RESTORE)).isEqualTo(1));
    String first = plan().id();

    patch("{'spec':{'overrides':{'mempool.size':'10'}}}");
    eventually(() -> assertThat(plan().id()).isNotEqualTo(first));
    sidecarFaults().release(SNAPSHOT_RESTORE);

    awaitUpToDate(A);
    assertThat(executions(SNAPSHOT_RESTORE)).isEqualTo(1);
    assertThat(deletions()).isZero();
    assertThat(home().settings()).containsEntry("mempool.size", "10");
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("versions")
  void nothingElseWritesTheVolumeWhileARestoreForAnotherHeightRuns(SidecarVersion version) {
    sidecar.version(version);
    sidecarFaults().hold(SNAPSHOT_RESTORE);
    create(specOf(S3.formatted(1000)));
    eventually(() -> assertThat(executions(SNAPSHOT_RESTORE)).isEqualTo(1));
    String first = plan().id();

    patch("{'spec':{" + S3.formatted(2000) + "}}");
    patch("{'spec':{'overrides':{'mempool.size':'10'}}}");

    if (version.deleteCancels()) {
      eventually(() -> assertThat(executions(SNAPSHOT_RESTORE)).isEqualTo(2));
      assertThat(plan().id()).isNotEqualTo(first);
      sidecarFaults().release(SNAPSHOT_RESTORE);
      awaitUpToDate(A);
      assertThat(home().snapshotHeight()).isEqualTo(2000);
    } else {
      stays(() -> assertThat(plan().id()).isEqualTo(first));
      sidecarFaults().release(SNAPSHOT_RESTORE);
      eventually(() -> assertThat(plan().isFailed()).isTrue());
      assertThat(home().snapshotHeight()).isEqualTo(1000);
    }
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("versions")
  void lockedStoreIsWaitedFor(SidecarVersion version) {
    sidecar.version(version);
    createRunning();
    sidecarFaults().busyStore();

    setImage(B);
    eventually(
        () -> assertThat(plan().currentTask().orElseThrow().reason()).isEqualTo("SidecarBusy"));
    assertThat(plan().currentTask().orElseThrow().retries()).isZero();
    sidecarFaults().clear();

    awaitUpToDate(B);
  }

  @Tag("long")
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

  @Tag("long")
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
    assertThat(images()).containsExactly(A, B);
    eventually(() -> assertThat(occurrences("PlanSuperseded")).isEqualTo(1));
  }

  @Tag("long")
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

  private SidecarHome home() {
    return sidecar.home(namespace, NODE);
  }

  private long deletions() {
    return sidecar.requests(namespace, NODE).stream()
        .filter(request -> request.method().equals("DELETE"))
        .count();
  }
}
