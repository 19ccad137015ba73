package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static io.sei.operator.testkit.samples.RecordedConditions.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.status.Stalling;
import io.sei.operator.testkit.samples.End;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A pod that is Ready for a moment between two crashes makes no progress. */
class CrashLoopStallTest {

  private static final String IMAGE = "sei:a";
  private static final Duration DEADLINE = Duration.ofMinutes(10);
  private static final Instant LONG_AGO = NOW.minus(DEADLINE);
  private static final Instant RECENTLY = NOW.minusSeconds(60);
  private static final Instant JUST_NOW = NOW.minusSeconds(1);
  private static final Optional<Finding> CRASHES =
      Optional.of(new Finding(StallReason.CRASH_LOOP, "seid crashes", "see logs", false));

  static Stream<Arguments> rows() {
    SeiNodeStatus down =
        aNode(IMAGE).running().condition(NodeConditionType.READY, false, "", JUST_NOW).status();
    SeiNodeStatus up =
        aNode(IMAGE).running().condition(NodeConditionType.READY, true, "", JUST_NOW).status();
    SeiNodeStatus stalled = with(up, NodeConditionType.STALLED, true, "CrashLoop", RECENTLY);
    return Stream.of(
        arguments("down again, loops since long", since(down, LONG_AGO), "CrashLoop"),
        arguments("down again, loops since a while", since(down, RECENTLY), "Progressing"),
        arguments("down for the first time", down, "Progressing"),
        arguments("up for a moment, not stalled yet", since(up, LONG_AGO), "NotStalled"),
        arguments("up for a moment, stalled", since(stalled, LONG_AGO), "CrashLoop"),
        arguments("up, stalled at once when it was new", since(stalled, RECENTLY), "NotStalled"),
        arguments(
            "down again since a plan ended, loops since long",
            with(since(down, LONG_AGO), NodeConditionType.UP_TO_DATE, true, "", RECENTLY),
            "Progressing"),
        arguments(
            "down again since a pause ended, loops since long",
            with(since(down, LONG_AGO), NodeConditionType.PAUSED, false, "", RECENTLY),
            "Progressing"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void stalls(String name, SeiNodeStatus status, String reason) {
    NodePass pass = derived(status, looping(JUST_NOW), CRASHES);

    assertThat(stalled(pass).reason()).isEqualTo(reason);
    assertThat(stalled(pass).isTrue()).isEqualTo(reason.equals("CrashLoop"));
  }

  @Test
  void loopIsRecordedWhenItIsFoundAndKeptWhileItLasts() {
    SeiNodeStatus down =
        aNode(IMAGE).running().condition(NodeConditionType.READY, false, "", JUST_NOW).status();

    assertThat(derived(down, looping(JUST_NOW), CRASHES).draft().crashLoopSince()).isEqualTo(NOW);
    assertThat(
            derived(since(down, RECENTLY), looping(JUST_NOW), Optional.empty())
                .draft()
                .crashLoopSince())
        .isEqualTo(RECENTLY);
    assertThat(
            derived(since(down, NOW.plusSeconds(1)), looping(JUST_NOW), CRASHES)
                .draft()
                .crashLoopSince())
        .isEqualTo(NOW);
  }

  @Test
  void loopIsOverOnceItsContainerHasRunForTenMinutes() {
    SeiNodeStatus stalled =
        since(
            with(
                aNode(IMAGE)
                    .running()
                    .condition(NodeConditionType.READY, true, "", LONG_AGO)
                    .status(),
                NodeConditionType.STALLED,
                true,
                "CrashLoop",
                LONG_AGO),
            LONG_AGO.minus(DEADLINE));

    NodePass pass = derived(stalled, looping(NOW.minus(Duration.ofMinutes(10))), Optional.empty());

    assertThat(stalled(pass).reason()).isEqualTo("NotStalled");
    assertThat(pass.draft().crashLoopSince()).isNull();
  }

  @Test
  void stallLastsWhileTheLogOfACrashIsRead() {
    SeiNodeStatus down =
        aNode(IMAGE).running().condition(NodeConditionType.READY, false, "", JUST_NOW).status();
    SeiNodeStatus stalled = with(down, NodeConditionType.STALLED, true, "CrashLoop", RECENTLY);

    NodePass pass = derived(since(stalled, LONG_AGO), looping(JUST_NOW), Optional.empty());

    assertThat(stalled(pass).reason()).isEqualTo("CrashLoop");
  }

  @Test
  void looksAgainWhenTheLoopIsOver() {
    SeiNodeStatus up =
        aNode(IMAGE).running().condition(NodeConditionType.READY, true, "", JUST_NOW).status();

    assertThat(derived(up, looping(JUST_NOW), CRASHES).recheck())
        .contains(Duration.ofMinutes(10).minusSeconds(1));
  }

  @Test
  void podWithoutALoopLeavesNoRecord() {
    SeiNodeStatus up =
        aNode(IMAGE).running().condition(NodeConditionType.READY, true, "", JUST_NOW).status();

    NodePass pass = derived(since(up, RECENTLY), aPod(aNode(IMAGE)).build(), Optional.empty());

    assertThat(pass.draft().crashLoopSince()).isNull();
    assertThat(pass.recheck()).isEmpty();
  }

  private static NodePass derived(SeiNodeStatus status, Pod pod, Optional<Finding> finding) {
    var pass = aNode(IMAGE).status(status).withPod(pod).pass();
    Stalling.derive(pass, finding, new ProgressDeadline(DEADLINE));
    return pass;
  }

  private static Condition stalled(NodePass pass) {
    return Conditions.find(pass.draft().conditions(), NodeConditionType.STALLED).orElseThrow();
  }

  /** seid has been restarted often, and runs since a moment. */
  private static Pod looping(Instant since) {
    var end = End.exit(1, null).at(since.minusSeconds(300)).after(Duration.ofSeconds(1));
    return aPod(aNode(IMAGE))
        .status("seid", sample -> sample.ready().restarts(7).running(since).lastEnd(end))
        .build();
  }

  private static SeiNodeStatus since(SeiNodeStatus status, Instant since) {
    return status.withCrashLoopSince(since);
  }
}
