package io.sei.operator.node.sync;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeidStart;
import io.sei.operator.api.v1alpha1.SeidStartBuilder;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.SeidState;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.status.NodeStatus;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.ManualExecutor;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Duration and conditions of a start of seid. */
class StartingTest {

  private static final String A = "sei:a";
  private static final Instant EARLIER = NOW.minusSeconds(3600);
  private static final ProgressDeadline PROGRESS = new ProgressDeadline(Duration.ofMinutes(10));

  private static final Instant LONG_AGO = NOW.minusSeconds(90_000);

  /** A node that has not been Ready for longer than the progress deadline. */
  private static final NodeSample UNREADY =
      aNode(A)
          .running()
          .condition(NodeConditionType.UP_TO_DATE, true, "UpToDate", LONG_AGO)
          .status(
              status -> status.with(draft -> draft.unreadySince(LONG_AGO).unpausedSince(LONG_AGO)));

  private static final SeidStart BEGUN = start("run-1", EARLIER, null);
  private static final SeidStart ENDED = start("run-1", EARLIER, EARLIER.plusSeconds(5));
  private static final SeidStart NEW = start("run-1", NOW, null);
  private static final SeidStart ENDS = start("run-1", EARLIER, NOW);

  private String log = "";
  private int reads;

  static Stream<Arguments> looks() {
    Pod starts = starting(sample -> sample);
    Pod listens = starting(sample -> sample.started(true));
    Pod another = starting(sample -> sample.run("run-2"));
    Pod again = starting(sample -> sample.run("run-2").restarts(1));
    Pod waits = starting(sample -> sample.waiting("CrashLoopBackOff"));
    return Stream.of(
        arguments("it begins", null, starts, true, true, NEW),
        arguments("it has to wait for something else", null, starts, false, true, null),
        arguments("it listens at once", null, listens, true, false, null),
        arguments("it was started again", null, again, true, true, null),
        arguments("it goes on", BEGUN, starts, true, true, BEGUN),
        arguments("it goes on while a plan is active", BEGUN, starts, false, true, BEGUN),
        arguments("it listens", BEGUN, listens, false, false, ENDS),
        arguments("it has listened", ENDED, listens, false, false, ENDED),
        arguments("it has listened, and lacks a block", ENDED, starts, false, false, ENDED),
        arguments("it listens, and has no state yet", BEGUN, listens, false, true, BEGUN),
        arguments("it crashed", BEGUN, waits, true, true, ENDS),
        arguments("it crashed, and was started again", BEGUN, again, true, true, ENDS),
        arguments("it has another image", BEGUN, another, true, true, start("run-2", NOW, null)),
        arguments("it had another image", ENDED, another, true, true, start("run-2", NOW, null)),
        arguments("its pod is gone", BEGUN, null, false, true, ENDS));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("looks")
  void countsFromWhatWasDoneLast(
      String what, SeidStart before, Pod pod, boolean mayBegin, boolean goesOn, SeidStart after) {
    assertThat(
            Starting.after(Optional.ofNullable(before), SeidState.of(pod), mayBegin, goesOn, NOW))
        .isEqualTo(Optional.ofNullable(after));
  }

  @ParameterizedTest
  @CsvSource({"-5,0", "0,0", "59,0", "60,1", "119,1", "120,2", "239,2", "240,3", "21600,9"})
  void readsTheLogWheneverItHasLastedTwiceAsLong(long seconds, int turn) {
    assertThat(Starting.turn(start("run-1", NOW, null), NOW.plusSeconds(seconds))).isEqualTo(turn);
  }

  static Stream<Arguments> conditions() {
    UnaryOperator<SeiNodeStatus> planless = status -> status;
    return Stream.of(
        arguments("just begun", null, null, planless, "Starting", "Progressing"),
        arguments("for an hour", ago(3600), null, planless, "Starting", "Progressing"),
        arguments("nearly too long", ago(21_599), null, planless, "Starting", "Progressing"),
        arguments(
            "too long",
            ago(21_600),
            null,
            planless,
            "StartDeadlineExceeded",
            "StartDeadlineExceeded"),
        arguments(
            "longer than asked for",
            ago(60),
            60,
            planless,
            "StartDeadlineExceeded",
            "StartDeadlineExceeded"),
        arguments("as long as asked for", ago(90_000), 90_001, planless, "Starting", "Progressing"),
        arguments(
            "under a plan, which has its own deadline",
            ago(3600),
            null,
            plan(PlanKind.CONFIG),
            "Starting",
            "Unknown"),
        arguments(
            "about to be replaced",
            ago(3600),
            null,
            plan(PlanKind.UPDATE),
            "PodReplacing",
            "Unknown"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("conditions")
  void startIsShownUntilItsDeadline(
      String what,
      SeidStart start,
      Integer deadline,
      UnaryOperator<SeiNodeStatus> with,
      String ready,
      String stalled) {
    NodeSample node =
        UNREADY
            .spec(spec -> spec.withStartDeadlineSeconds(deadline))
            .status(status -> with.apply(status.withStart(start)));

    SeiNodeStatus status = pass(node, starting(sample -> sample));

    assertThat(condition(status, NodeConditionType.READY).reason()).isEqualTo(ready);
    assertThat(condition(status, NodeConditionType.STALLED).reason()).isEqualTo(stalled);
  }

  @Test
  void progressDeadlineCountsFromWhenSeidListened() {
    SeiNodeStatus status = pass(startedAs(BEGUN), starting(sample -> sample.started(true)));

    assertThat(status.start()).isEqualTo(ENDS);
    assertThat(condition(status, NodeConditionType.READY).isFor(NodeReason.POD_NOT_READY)).isTrue();
    assertThat(condition(status, NodeConditionType.STALLED).isFor(NodeReason.PROGRESSING)).isTrue();
  }

  @Test
  void startIsForgottenOnceThePodIsReady() {
    Pod ready = aPod(starting(sample -> sample.started(true).ready())).ready().build();

    assertThat(pass(startedAs(BEGUN), ready).start()).isNull();
  }

  @Test
  void workOfSeidIsReadOnceAndShownAgain() {
    log = "1:53AM INF Applying block height=833 module=consensus";
    SeiNodeStatus first =
        pass(startedAs(start("run-1", ago(60).since(), null)), starting(sample -> sample));
    // The answer is there in the next pass.
    SeiNodeStatus told = pass(aNode(A).status(first), starting(sample -> sample));
    SeiNodeStatus again = pass(aNode(A).status(told), starting(sample -> sample));

    assertThat(reads).isEqualTo(1);
    assertThat(condition(told, NodeConditionType.READY).message())
        .isEqualTo(
            "seid has been starting since 2026-06-01T09:59:00Z and does not serve yet: it replays"
                + " blocks, at height 833 (at 2026-06-01T10:00:00Z); it has until"
                + " 2026-06-01T15:59:00Z (spec.startDeadlineSeconds)");
    assertThat(again).isEqualTo(told);
  }

  private final ConditionParts conditions =
      NodeFeature.conditionsOf(
          Stream.concat(
                  OfflineNode.FEATURES.stream().filter(feature -> !(feature instanceof ChainSync)),
                  Stream.of(
                      new ChainSync(
                          OfflineNode.syncPoller(),
                          (namespace, pod) -> {
                            reads++;
                            return log;
                          },
                          ManualExecutor.<ResourceID>eager(NOW).polling(new PerObjectState<>()))))
              .toList());

  private SeiNodeStatus pass(NodeSample node, Pod pod) {
    NodePass pass = node.withPod(pod).sidecar(SidecarHealth.READY).pass();
    NodeStatus.record(pass, conditions);
    NodeStatus.derive(pass, pass.found(), PROGRESS, conditions);
    return pass.draft();
  }

  private static NodeSample startedAs(SeidStart start) {
    return UNREADY.status(status -> status.withStart(start));
  }

  private static UnaryOperator<SeiNodeStatus> plan(PlanKind kind) {
    var plan = aPlan(kind, A, "some-task").build();
    return status ->
        status.withPlan(plan.withTasks(List.of(plan.tasks().get(0).withStartedAt(LONG_AGO))));
  }

  private static Condition condition(SeiNodeStatus status, NodeConditionType type) {
    return Conditions.find(status.conditions(), type).orElseThrow();
  }

  private static SeidStart ago(long seconds) {
    return start("run-1", NOW.minusSeconds(seconds), null);
  }

  private static SeidStart start(String run, Instant since, Instant until) {
    return SeidStartBuilder.builder().containerID(run).since(since).until(until).build();
  }

  private static Pod starting(UnaryOperator<ContainerSample> with) {
    return aPod(aNode(A))
        .status("seid", sample -> with.apply(sample.run("run-1").running(EARLIER).started(false)))
        .build();
  }
}
