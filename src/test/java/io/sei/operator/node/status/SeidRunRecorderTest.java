package io.sei.operator.node.status;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeidRun;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.End;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The record of the run of seid for a node's fleet. */
class SeidRunRecorderTest {

  private static final SeidRun READY =
      SeidRun.nothing()
          .with(
              builder ->
                  builder
                      .podUid("pod-1")
                      .containerID("run-1")
                      .readyAt(NodeSample.NOW.minusSeconds(60))
                      .height(50L));

  @Test
  void readyRunIsRecorded() {
    assertThat(after(SeidRun.nothing(), ready("run-1"), 0))
        .isEqualTo(READY.with(builder -> builder.readyAt(NodeSample.NOW).height(null)));
  }

  @Test
  void aRunThatHasCaughtUpIsWrittenOnce() {
    SeidRun caughtUp = after(READY, ready("run-1"), 60);

    assertThat(caughtUp)
        .isEqualTo(READY.with(builder -> builder.caughtUpAt(NodeSample.NOW).height(60L)));
    assertThat(after(caughtUp, ready("run-1"), 61)).isEqualTo(caughtUp);
    assertThat(after(caughtUp, ready("run-1"), 0)).isEqualTo(caughtUp);
  }

  @Test
  void runThatIsNotReadyAnyMoreHasToCatchUpAgain() {
    SeidRun caughtUp = READY.withCaughtUpAt(NodeSample.NOW);

    assertThat(after(caughtUp, running("run-1"), 0)).isEqualTo(READY.withReadyAt(null));
  }

  @Test
  void anotherRunHasToCatchUpAnew() {
    SeidRun caughtUp = READY.withCaughtUpAt(NodeSample.NOW.minusSeconds(9));

    assertThat(after(caughtUp, ready("run-2"), 0))
        .isEqualTo(READY.with(builder -> builder.containerID("run-2").readyAt(NodeSample.NOW)));
  }

  @Test
  void aCrashAfterItWasReadyIsKeptUntilThePodGoes() {
    SeidRun down = after(READY, crashed("run-1"), 0);

    assertThat(down.crashedAt()).isEqualTo(NodeSample.NOW);
    assertThat(down.crash()).contains("exit code 1: boom");
    assertThat(down.crashReason()).isEqualTo("CrashLoop");
    assertThat(down.down()).isTrue();
    assertThat(down.readyAt()).isNull();

    SeidRun again = after(down, ready("run-2"), 0);
    assertThat(again.crashedAt()).isEqualTo(NodeSample.NOW);
    assertThat(again.down()).isNull();
    assertThat(again.readyAt()).isEqualTo(NodeSample.NOW);

    assertThat(after(again, Optional.empty(), 0)).isEqualTo(SeidRun.nothing().withHeight(50L));
  }

  /** The end of a run that halts looks like any other before its log is read. */
  @ParameterizedTest
  @ValueSource(strings = {"run-1", "run-2"})
  void haltWhoseLogIsReadLaterIsNoCrash(String newest) {
    SeidRun unread = after(READY, ended("run-1", 2, "x".repeat(2048)), 0);

    SeidRun read =
        after(unread, ended(newest, 2, "panic: UPGRADE \"v2\" NEEDED at height: 60: "), 0);

    assertThat(read).isEqualTo(READY.with(builder -> builder.readyAt(null).down(true)));
  }

  @Test
  void runThatWasNeverReadyIsDownAndDidNotCrashAfterReady() {
    assertThat(after(SeidRun.nothing(), crashed("run-1"), 0))
        .isEqualTo(SeidRun.nothing().withDown(true));
    assertThat(after(SeidRun.nothing().withDown(true), running("run-2"), 0)).isNull();
  }

  @Test
  void nothingIsKeptOfAnEarlierPodButTheHeight() {
    SeidRun earlier =
        READY.with(builder -> builder.podUid("pod-0").crashedAt(NodeSample.NOW).crash("boom"));

    assertThat(after(earlier, running("run-1"), 0)).isEqualTo(SeidRun.nothing().withHeight(50L));
  }

  @Test
  void nothingIsRecordedOfANodeWithoutAFleet() {
    assertThat(after(aNode("sei:a"), null, ready("run-1"), 60)).isNull();
  }

  private static SeidRun after(SeidRun before, Optional<Pod> pod, long caughtUpAt) {
    return after(aNode("sei:a").ofFleet("fleet"), before, pod, caughtUpAt);
  }

  private static SeidRun after(
      NodeSample node, SeidRun before, Optional<Pod> pod, long caughtUpAt) {
    NodePass pass = node.running().status(status -> status.withSeid(before)).pod(pod).pass();
    if (caughtUpAt > 0) {
      pass.firstBlock(caughtUpAt);
    }
    SeidRunRecorder.record(pass);
    return pass.draft().seid();
  }

  private static Optional<Pod> ready(String run) {
    return running(run).map(pod -> aPod(pod).ready().build());
  }

  private static Optional<Pod> running(String run) {
    return seid(sample -> sample.run(run).running(NodeSample.NOW.minusSeconds(70)));
  }

  private static Optional<Pod> crashed(String run) {
    return ended(run, 1, "boom");
  }

  private static Optional<Pod> ended(String run, int code, String message) {
    return seid(sample -> sample.run(run).ended(End.exit(code, message).ofRun(run)));
  }

  private static Optional<Pod> seid(Consumer<ContainerSample> state) {
    return Optional.of(aPod(aNode("sei:a")).status("seid", state).build());
  }
}
