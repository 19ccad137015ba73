package io.sei.operator.node.status;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.UpgradeHalt;
import io.sei.operator.diagnosis.UpgradePanic;
import io.sei.operator.kube.RefusedWrites;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class StallingTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";
  private static final Duration DEADLINE = Duration.ofMinutes(10);
  private static final ProgressDeadline LIMIT = new ProgressDeadline(DEADLINE);
  private static final Instant LONG_AGO = NOW.minus(DEADLINE);
  private static final Instant RECENTLY = NOW.minusSeconds(60);
  private static final NodeSample RUNS = aNode(A).running().withPod();
  private static final NodeSample READY = ready(RUNS, true, LONG_AGO);
  private static final NodeSample UNREADY = ready(RUNS, false, LONG_AGO);
  private static final NodeSample JUST_UNREADY = ready(RUNS, false, RECENTLY);
  private static final Optional<Finding> NONE = Optional.empty();
  private static final Optional<Finding> SLOW =
      Optional.of(new Finding(StallReason.UNSCHEDULABLE, "no room", "act", false));
  private static final Optional<Finding> TERMINAL =
      Optional.of(new Finding(StallReason.IMAGE_PULL, "no image", "act", true));
  private static final Optional<Finding> HALTED =
      Optional.of(new Finding(StallReason.HALTED_AT_UPGRADE, "v2", "act", false));

  static Stream<Arguments> rows() {
    return Stream.concat(ofPods(), ofPlans());
  }

  private static Stream<Arguments> ofPods() {
    return Stream.of(
        Arguments.of("ready", READY, NONE, "NotStalled"),
        Arguments.of("ready, odd finding", READY, TERMINAL, "NotStalled"),
        Arguments.of("just unready", JUST_UNREADY, NONE, "Progressing"),
        Arguments.of("just unready, slow", JUST_UNREADY, SLOW, "Progressing"),
        Arguments.of("just unready, terminal", JUST_UNREADY, TERMINAL, "ImagePull"),
        Arguments.of("long unready", UNREADY, NONE, "Unknown"),
        Arguments.of("long unready, slow", UNREADY, SLOW, "Unschedulable"),
        Arguments.of("halted", UNREADY, HALTED, "HaltedAtUpgrade"),
        Arguments.of("just halted", JUST_UNREADY, HALTED, "NotStalled"),
        Arguments.of("halted since its update", updated(UNREADY, NOW), HALTED, "HaltedAtUpgrade"),
        Arguments.of(
            "halted after its update",
            updated(UNREADY, LONG_AGO.minusSeconds(1)),
            HALTED,
            "HaltedAtUpgrade"),
        Arguments.of(
            "halted since its update, which just ended",
            updated(UNREADY, RECENTLY)
                .condition(NodeConditionType.UP_TO_DATE, true, "Reason", RECENTLY),
            HALTED,
            "Progressing"),
        Arguments.of(
            "unready since a plan ended",
            UNREADY.condition(NodeConditionType.UP_TO_DATE, true, "Reason", RECENTLY),
            NONE,
            "Progressing"),
        Arguments.of(
            "unready since a pause ended",
            UNREADY.condition(NodeConditionType.PAUSED, false, "Reason", RECENTLY),
            NONE,
            "Progressing"));
  }

  private static Stream<Arguments> ofPlans() {
    return Stream.of(
        Arguments.of("task began", UNREADY.plan(active(RECENTLY)), NONE, "Progressing"),
        Arguments.of(
            "task began, old pod beyond help",
            UNREADY.plan(active(RECENTLY)),
            TERMINAL,
            "Progressing"),
        Arguments.of("task long ago", READY.plan(active(LONG_AGO)), NONE, "Unknown"),
        Arguments.of("task long ago, slow", READY.plan(active(LONG_AGO)), SLOW, "Unschedulable"),
        Arguments.of("halted in a plan", UNREADY.plan(active(LONG_AGO)), HALTED, "HaltedAtUpgrade"),
        Arguments.of(
            "task long ago, pause ended",
            READY
                .plan(active(LONG_AGO))
                .condition(NodeConditionType.PAUSED, false, "Reason", RECENTLY),
            NONE,
            "Progressing"),
        Arguments.of(
            "task long ago, stall ended",
            READY
                .plan(active(LONG_AGO))
                .condition(NodeConditionType.STALLED, false, "Reason", RECENTLY),
            SLOW,
            "Progressing"),
        Arguments.of("replays since long", READY.plan(replaying("Replaying")), NONE, "Progressing"),
        Arguments.of("replays, slow", READY.plan(replaying("Replaying")), SLOW, "Unschedulable"),
        Arguments.of("replay never began", READY.plan(replaying("PodStarting")), NONE, "Unknown"),
        Arguments.of(
            "waits for an exit", READY.plan(replaying("AwaitingExit")), NONE, "Progressing"),
        Arguments.of("plan just failed", READY.plan(failed(RECENTLY)), NONE, "Progressing"),
        Arguments.of("init just failed", READY.plan(failedInit()), NONE, "Unknown"),
        Arguments.of("init just failed, slow", READY.plan(failedInit()), SLOW, "Unschedulable"),
        Arguments.of(
            "init failed, stalled for what is gone",
            READY.plan(failedInit()).condition(NodeConditionType.STALLED, true, "Reason", RECENTLY),
            NONE,
            "Unknown"),
        Arguments.of("plan failed long ago", READY.plan(failed(LONG_AGO)), NONE, "Unknown"),
        Arguments.of(
            "task began, after plans that failed since long ago",
            READY
                .plan(again(RECENTLY))
                .condition(NodeConditionType.UP_TO_DATE, false, "Reason", LONG_AGO),
            SLOW,
            "Unschedulable"),
        Arguments.of(
            "task began, after plans that failed of late",
            READY
                .plan(again(RECENTLY))
                .condition(NodeConditionType.UP_TO_DATE, false, "Reason", RECENTLY),
            SLOW,
            "Progressing"),
        Arguments.of(
            "task began, first plan for its target",
            READY
                .plan(active(RECENTLY))
                .condition(NodeConditionType.UP_TO_DATE, false, "Reason", LONG_AGO),
            SLOW,
            "Progressing"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void stalls(String name, NodeSample node, Optional<Finding> finding, String reason) {
    Condition stalled = derive(node, finding);

    assertThat(stalled.reason()).isEqualTo(reason);
    boolean is = !reason.equals("NotStalled") && !reason.equals("Progressing");
    assertThat(stalled.status()).isEqualTo(ConditionStatus.of(is));
  }

  /** After the deadline a listed halt still passes by itself; an unlisted one does not. */
  @ParameterizedTest
  @CsvSource({"v2, NotStalled", "v3, HaltedAtUpgrade"})
  void haltForAListedUpgradeIsNoStall(String listed, String reason) {
    var halt =
        new UpgradeHalt("run", new UpgradePanic(UpgradePanic.Kind.NEEDED, "v2", 200L), "line");
    NodePass pass =
        UNREADY
            .spec(spec -> spec.withUpgrades(List.of(new Upgrade(listed, 200L, B, null))))
            .with(view -> view.withHalt(Optional.of(halt)))
            .pass();

    Stalling.derive(pass, HALTED, LIMIT);

    assertThat(stalled(pass).reason()).isEqualTo(reason);
  }

  @Test
  void haltForAnUnlistedUpgradeIsLookedAtAgainAtTheDeadline() {
    NodePass pass = JUST_UNREADY.pass();

    Stalling.derive(pass, HALTED, LIMIT);

    assertThat(stalled(pass).reason()).isEqualTo("NotStalled");
    assertThat(pass.recheck()).contains(DEADLINE.minusSeconds(60));
  }

  @Test
  void aRefusedWriteStallsANodeThatIsReady() {
    NodePass pass = RUNS.pass();
    pass.refusals().add(RefusedWrites.of("Service node", "no"));

    Stalling.derive(pass, pass.refusals().message().map(Diagnosis::refused), LIMIT);

    assertThat(stalled(pass).reason()).isEqualTo("ApplyRefused");
    assertThat(stalled(pass).isTrue()).isTrue();
  }

  @Test
  void causeThatGoesGivesTheNodeTimeAgain() {
    NodePass pass = afterStall("Unschedulable", SidecarHealth.NOT_READY);

    Stalling.derive(pass, NONE, LIMIT);

    assertThat(stalled(pass).reason()).isEqualTo("Recovering");
    assertThat(pass.recheck()).contains(DEADLINE);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "another target, SidecarTaskFailed, 0, Recovering",
    "again for the same target, SidecarTaskFailed, 1, SidecarTaskFailed",
    "again and what ailed the pod is gone, ImagePull, 1, Recovering"
  })
  void planThatFailedAndIsMadeAgainIsNoRecovery(
      String name, String cause, int attempt, String reason) {
    NodeSample node = stalled(RUNS.plan(active(RECENTLY).withAttempt(attempt)), true, cause);

    assertThat(derive(node, NONE).reason()).isEqualTo(reason);
  }

  @Test
  void nodeRecoversForAsLongAsItIsNotReady() {
    NodeSample node = stalled(RUNS.plan(active(RECENTLY)), false, "Recovering");

    assertThat(derive(node, NONE).reason()).isEqualTo("Recovering");
    assertThat(derive(node.plan(null), NONE).reason()).isEqualTo("NotStalled");
  }

  @Test
  void stallOfUnknownCauseLastsUntilThereIsProgress() {
    NodePass pass = afterStall("Unknown", SidecarHealth.NOT_READY);

    Stalling.derive(pass, NONE, LIMIT);

    assertThat(stalled(pass).reason()).isEqualTo("Unknown");
  }

  @Test
  void aBootstrapPodThatItsKubeletHasNotStartedIsReported() {
    Pod pod =
        aPod("node-bootstrap-x")
            .on("kube-1")
            .status("seid", seid -> seid.waiting("ContainerCreating"))
            .build();
    NodeSample bootstraps = aNode(A).plan(active(LONG_AGO));

    Condition stalled = derive(bootstraps.with(view -> view.withBootstrapPods(List.of(pod))), NONE);

    assertThat(stalled.reason()).isEqualTo("PodNotStarted");
    assertThat(stalled.message()).contains("pod node-bootstrap-x");
  }

  @Test
  void stallLastsWhileItsSidecarIsYetToBeAsked() {
    NodePass pass = afterStall("SidecarUnreachable", null);

    Stalling.derive(pass, NONE, LIMIT);

    assertThat(stalled(pass).isTrue()).isTrue();
    assertThat(stalled(pass).reason()).isEqualTo("SidecarUnreachable");
  }

  /** A node whose task began long ago and which is stalled for this reason. */
  private static NodePass afterStall(String reason, SidecarHealth sidecar) {
    return stalled(RUNS.plan(active(LONG_AGO)), true, reason).sidecar(sidecar).pass();
  }

  private static NodeSample stalled(NodeSample node, boolean value, String reason) {
    return node.condition(NodeConditionType.STALLED, value, reason, LONG_AGO);
  }

  @Test
  void newPodBeyondHelpStallsItsPlanAtOnce() {
    NodePass pass = RUNS.plan(active(RECENTLY)).image(B).withPod().pass();

    Stalling.derive(pass, TERMINAL, LIMIT);

    assertThat(stalled(pass).reason()).isEqualTo("ImagePull");
  }

  @Test
  void deadlineOfTheSpecGoesBeforeTheOperators() {
    NodeSample impatient =
        RUNS.plan(active(RECENTLY)).spec(spec -> spec.withProgressDeadlineSeconds(60));

    assertThat(derive(impatient, SLOW).reason()).isEqualTo("Unschedulable");
  }

  @Test
  void pausedNodeIsNotStalled() {
    NodeSample stopping = RUNS.plan(active(LONG_AGO)).spec(spec -> spec.withPaused(true));

    assertThat(derive(stopping, SLOW).reason()).isEqualTo("NotStalled");
  }

  /** A cause of its machine or network is none by which others are judged. */
  @ParameterizedTest
  @CsvSource({
    "true, CrashLoop, Recovering",
    "false, Recovering, Recovering",
    "true, NodeLost, NotStalled",
    "false, Progressing, NotStalled"
  })
  void pausedOrHeldNodeHasYetToShowThatItHasRecovered(
      boolean wasStalled, String before, String reason) {
    NodeSample stalled = stalled(RUNS, wasStalled, before);
    NodeSample paused = stalled.spec(spec -> spec.withPaused(true));

    assertThat(derive(paused, NONE).reason()).isEqualTo(reason);
    assertThat(derive(ready(stalled.held(), false, LONG_AGO).withPod(), NONE).reason())
        .isEqualTo(reason);
    assertThat(derive(stalled.held().plan(active(RECENTLY)), NONE).reason())
        .as("while its pod is replaced")
        .isEqualTo(reason.equals("Recovering") ? "Recovering" : "Progressing");
  }

  @Test
  void heldNodeIsNotStalled() {
    NodeSample notYetHeld = ready(RUNS.held(), false, LONG_AGO);

    assertThat(derive(notYetHeld.withPod(), SLOW).reason()).isEqualTo("NotStalled");
    assertThat(derive(notYetHeld, NONE).reason()).as("not held yet").isEqualTo("Unknown");
  }

  @Test
  void asksToBeCalledAtTheDeadline() {
    NodePass pass = RUNS.plan(active(RECENTLY)).pass();

    Stalling.derive(pass, NONE, LIMIT);

    assertThat(pass.recheck()).contains(DEADLINE.minusSeconds(60));
  }

  private static Condition derive(NodeSample node, Optional<Finding> finding) {
    NodePass pass = node.pass();
    OfflineNode.CONDITIONS.record(pass);
    Stalling.derive(pass, finding, LIMIT);
    return stalled(pass);
  }

  private static Condition stalled(NodePass pass) {
    return Conditions.find(pass.draft().conditions(), NodeConditionType.STALLED).orElseThrow();
  }

  private static NodeSample ready(NodeSample node, boolean value, Instant since) {
    return node.condition(NodeConditionType.READY, value, "Reason", since);
  }

  private static TaskPlan replaying(String reason) {
    TaskPlan plan = active(LONG_AGO);
    return plan.withTasks(plan.tasks().stream().map(task -> task.withReason(reason)).toList());
  }

  private static TaskPlan active(Instant startedAt) {
    TaskPlan plan = aPlan(PlanKind.UPDATE, B, "observe-image").build();
    return plan.withTasks(List.of(plan.tasks().get(0).withStartedAt(startedAt)));
  }

  private static TaskPlan again(Instant startedAt) {
    return active(startedAt).withAttempt(1);
  }

  private static TaskPlan failedInit() {
    return failed(RECENTLY).withKind(PlanKind.INIT);
  }

  private static TaskPlan failed(Instant startedAt) {
    return active(startedAt).withPhase(PlanPhase.FAILED).withFinishedAt(NOW);
  }

  private static NodeSample updated(NodeSample node, Instant at) {
    String reason = NodeReason.UPDATE_COMPLETE.toString();
    return node.condition(NodeConditionType.NODE_UPDATE_IN_PROGRESS, false, reason, at);
  }
}
