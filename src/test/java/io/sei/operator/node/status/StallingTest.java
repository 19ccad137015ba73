package io.sei.operator.node.status;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.UpgradeHalt;
import io.sei.operator.diagnosis.UpgradePanic;
import io.sei.operator.kube.RefusedWrites;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.model.NodePass;
import io.sei.operator.node.model.ProgressDeadline;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.RecordedConditions;
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
    SeiNodeStatus ready =
        with(aNode(A).running().status(), NodeConditionType.READY, true, LONG_AGO);
    SeiNodeStatus unready =
        with(aNode(A).running().status(), NodeConditionType.READY, false, LONG_AGO);
    SeiNodeStatus justUnready =
        with(aNode(A).running().status(), NodeConditionType.READY, false, RECENTLY);
    return Stream.of(
        Arguments.of("ready", ready, NONE, "NotStalled"),
        Arguments.of("ready, odd finding", ready, TERMINAL, "NotStalled"),
        Arguments.of("just unready", justUnready, NONE, "Progressing"),
        Arguments.of("just unready, slow", justUnready, SLOW, "Progressing"),
        Arguments.of("just unready, terminal", justUnready, TERMINAL, "ImagePull"),
        Arguments.of("long unready", unready, NONE, "Unknown"),
        Arguments.of("long unready, slow", unready, SLOW, "Unschedulable"),
        Arguments.of("halted", unready, HALTED, "HaltedAtUpgrade"),
        Arguments.of("just halted", justUnready, HALTED, "NotStalled"),
        Arguments.of("halted since its update", updated(unready, NOW), HALTED, "HaltedAtUpgrade"),
        Arguments.of(
            "halted after its update",
            updated(unready, LONG_AGO.minusSeconds(1)),
            HALTED,
            "HaltedAtUpgrade"),
        Arguments.of(
            "halted since its update, which just ended",
            with(updated(unready, RECENTLY), NodeConditionType.UP_TO_DATE, true, RECENTLY),
            HALTED,
            "Progressing"),
        Arguments.of(
            "unready since a plan ended",
            with(unready, NodeConditionType.UP_TO_DATE, true, RECENTLY),
            NONE,
            "Progressing"),
        Arguments.of(
            "unready since a pause ended",
            with(unready, NodeConditionType.PAUSED, false, RECENTLY),
            NONE,
            "Progressing"));
  }

  private static Stream<Arguments> ofPlans() {
    SeiNodeStatus ready =
        with(aNode(A).running().status(), NodeConditionType.READY, true, LONG_AGO);
    SeiNodeStatus unready =
        with(aNode(A).running().status(), NodeConditionType.READY, false, LONG_AGO);
    return Stream.of(
        Arguments.of("task began", at(unready, active(RECENTLY)), NONE, "Progressing"),
        Arguments.of(
            "task began, old pod beyond help",
            at(unready, active(RECENTLY)),
            TERMINAL,
            "Progressing"),
        Arguments.of("task long ago", at(ready, active(LONG_AGO)), NONE, "Unknown"),
        Arguments.of("task long ago, slow", at(ready, active(LONG_AGO)), SLOW, "Unschedulable"),
        Arguments.of("halted in a plan", at(unready, active(LONG_AGO)), HALTED, "HaltedAtUpgrade"),
        Arguments.of(
            "task long ago, pause ended",
            with(at(ready, active(LONG_AGO)), NodeConditionType.PAUSED, false, RECENTLY),
            NONE,
            "Progressing"),
        Arguments.of(
            "task long ago, stall ended",
            with(at(ready, active(LONG_AGO)), NodeConditionType.STALLED, false, RECENTLY),
            SLOW,
            "Progressing"),
        Arguments.of("replays since long", at(ready, replaying("Replaying")), NONE, "Progressing"),
        Arguments.of("replays, slow", at(ready, replaying("Replaying")), SLOW, "Unschedulable"),
        Arguments.of("replay never began", at(ready, replaying("PodStarting")), NONE, "Unknown"),
        Arguments.of(
            "waits for an exit", at(ready, replaying("AwaitingExit")), NONE, "Progressing"),
        Arguments.of("plan just failed", at(ready, failed(RECENTLY)), NONE, "Progressing"),
        Arguments.of("init just failed", at(ready, failedInit()), NONE, "Unknown"),
        Arguments.of("init just failed, slow", at(ready, failedInit()), SLOW, "Unschedulable"),
        Arguments.of(
            "init failed, stalled for what is gone",
            with(at(ready, failedInit()), NodeConditionType.STALLED, true, RECENTLY),
            NONE,
            "Unknown"),
        Arguments.of("plan failed long ago", at(ready, failed(LONG_AGO)), NONE, "Unknown"),
        Arguments.of(
            "task began, after plans that failed since long ago",
            with(at(ready, again(RECENTLY)), NodeConditionType.UP_TO_DATE, false, LONG_AGO),
            SLOW,
            "Unschedulable"),
        Arguments.of(
            "task began, after plans that failed of late",
            with(at(ready, again(RECENTLY)), NodeConditionType.UP_TO_DATE, false, RECENTLY),
            SLOW,
            "Progressing"),
        Arguments.of(
            "task began, first plan for its target",
            with(at(ready, active(RECENTLY)), NodeConditionType.UP_TO_DATE, false, LONG_AGO),
            SLOW,
            "Progressing"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void stalls(String name, SeiNodeStatus status, Optional<Finding> finding, String reason) {
    Condition stalled = derive(aNode(A).build(), status, finding);

    assertThat(stalled.reason()).isEqualTo(reason);
    boolean is = !reason.equals("NotStalled") && !reason.equals("Progressing");
    assertThat(stalled.status()).isEqualTo(ConditionStatus.of(is));
  }

  /** Past the deadline a halt that is listed still goes on by itself; one that is not does not. */
  @ParameterizedTest
  @CsvSource({"v2, NotStalled", "v3, HaltedAtUpgrade"})
  void haltForAListedUpgradeIsNoStall(String listed, String reason) {
    SeiNode node =
        aNode(A)
            .spec(spec -> spec.withUpgrades(List.of(new Upgrade(listed, 200L, B, null))))
            .build();
    SeiNodeStatus status =
        with(aNode(A).running().status(), NodeConditionType.READY, false, LONG_AGO);
    var halt =
        new UpgradeHalt("run", new UpgradePanic(UpgradePanic.Kind.NEEDED, "v2", 200L), "line");
    var pass =
        aNode(node)
            .status(status)
            .withPod(aPod(aNode(A)))
            .with(view -> view.withHalt(Optional.of(halt)))
            .pass();

    Stalling.derive(pass, HALTED, LIMIT, OfflineNode.FEATURES);

    assertThat(stalled(pass).reason()).isEqualTo(reason);
  }

  @Test
  void haltForAnUnlistedUpgradeIsLookedAtAgainAtTheDeadline() {
    SeiNodeStatus status =
        with(aNode(A).running().status(), NodeConditionType.READY, false, RECENTLY);
    var pass = aNode(A).status(status).withPod(aPod(aNode(A))).pass();

    Stalling.derive(pass, HALTED, LIMIT, OfflineNode.FEATURES);

    assertThat(stalled(pass).reason()).isEqualTo("NotStalled");
    assertThat(pass.recheck()).contains(DEADLINE.minusSeconds(60));
  }

  @Test
  void aRefusedWriteStallsANodeThatIsReady() {
    var pass = aNode(A).running().withPod().pass();
    pass.refusals().add(RefusedWrites.of("Service node", "no"));

    Stalling.derive(
        pass, pass.refusals().message().map(Diagnosis::refused), LIMIT, OfflineNode.FEATURES);

    assertThat(stalled(pass).reason()).isEqualTo("ApplyRefused");
    assertThat(stalled(pass).isTrue()).isTrue();
  }

  @Test
  void causeThatGoesGivesTheNodeTimeAgain() {
    NodePass pass = afterStall("Unschedulable", SidecarHealth.NOT_READY);

    Stalling.derive(pass, NONE, LIMIT, OfflineNode.FEATURES);

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
    SeiNodeStatus status =
        stalled(
            at(aNode(A).running().status(), active(RECENTLY).withAttempt(attempt)), true, cause);

    assertThat(derive(aNode(A).build(), status, NONE).reason()).isEqualTo(reason);
  }

  @Test
  void nodeRecoversForAsLongAsItIsNotReady() {
    SeiNodeStatus status =
        stalled(at(aNode(A).running().status(), active(RECENTLY)), false, "Recovering");

    assertThat(derive(aNode(A).build(), status, NONE).reason()).isEqualTo("Recovering");
    assertThat(derive(aNode(A).build(), status.withPlan(null), NONE).reason())
        .isEqualTo("NotStalled");
  }

  @Test
  void stallOfUnknownCauseLastsUntilThereIsProgress() {
    NodePass pass = afterStall("Unknown", SidecarHealth.NOT_READY);

    Stalling.derive(pass, NONE, LIMIT, OfflineNode.FEATURES);

    assertThat(stalled(pass).reason()).isEqualTo("Unknown");
  }

  @Test
  void stallLastsWhileItsSidecarIsYetToBeAsked() {
    NodePass pass = afterStall("SidecarUnreachable", null);

    Stalling.derive(pass, NONE, LIMIT, OfflineNode.FEATURES);

    assertThat(stalled(pass).isTrue()).isTrue();
    assertThat(stalled(pass).reason()).isEqualTo("SidecarUnreachable");
  }

  /** A node whose task began long ago and which is stalled for this reason. */
  private static NodePass afterStall(String reason, SidecarHealth sidecar) {
    SeiNodeStatus status = stalled(at(aNode(A).running().status(), active(LONG_AGO)), true, reason);
    return aNode(A).status(status).withPod(aPod(aNode(A))).sidecar(sidecar).pass();
  }

  private static SeiNodeStatus stalled(SeiNodeStatus status, boolean value, String reason) {
    return RecordedConditions.with(status, NodeConditionType.STALLED, value, reason, LONG_AGO);
  }

  @Test
  void newPodBeyondHelpStallsItsPlanAtOnce() {
    SeiNodeStatus status = at(aNode(A).running().status(), active(RECENTLY));
    var pass = aNode(B).status(status).withPod(aPod(aNode(B))).pass();

    Stalling.derive(pass, TERMINAL, LIMIT, OfflineNode.FEATURES);

    assertThat(stalled(pass).reason()).isEqualTo("ImagePull");
  }

  @Test
  void deadlineOfTheSpecGoesBeforeTheOperators() {
    SeiNode impatient = aNode(A).spec(spec -> spec.withProgressDeadlineSeconds(60)).build();

    assertThat(derive(impatient, at(aNode(A).running().status(), active(RECENTLY)), SLOW).reason())
        .isEqualTo("Unschedulable");
  }

  @Test
  void pausedNodeIsNotStalled() {
    SeiNode paused = aNode(A).spec(spec -> spec.withPaused(true)).build();

    assertThat(derive(paused, at(aNode(A).running().status(), active(LONG_AGO)), SLOW).reason())
        .isEqualTo("NotStalled");
  }

  @Test
  void heldNodeIsNotStalled() {
    SeiNodeStatus unready =
        with(aNode(A).running().status(), NodeConditionType.READY, false, LONG_AGO);
    var pass = aNode(A).held().status(unready).withPod(aPod(aNode(A).held())).pass();

    Stalling.derive(pass, SLOW, LIMIT, OfflineNode.FEATURES);

    assertThat(stalled(pass).reason()).isEqualTo("NotStalled");
    assertThat(derive(aNode(A).held().build(), unready, NONE).reason())
        .as("not held yet")
        .isEqualTo("Unknown");
  }

  @Test
  void asksToBeCalledAtTheDeadline() {
    var pass = reconcile(aNode(A).build(), at(aNode(A).running().status(), active(RECENTLY)));

    Stalling.derive(pass, NONE, LIMIT, OfflineNode.FEATURES);

    assertThat(pass.recheck()).contains(DEADLINE.minusSeconds(60));
  }

  private static Condition derive(SeiNode node, SeiNodeStatus status, Optional<Finding> finding) {
    NodePass pass = reconcile(node, status);
    Stalling.derive(pass, finding, LIMIT, OfflineNode.FEATURES);
    return stalled(pass);
  }

  private static Condition stalled(NodePass pass) {
    return Conditions.find(pass.draft().conditions(), NodeConditionType.STALLED).orElseThrow();
  }

  private static NodePass reconcile(SeiNode node, SeiNodeStatus status) {
    return aNode(node).status(status).withPod(aPod(aNode(A))).pass();
  }

  private static SeiNodeStatus with(
      SeiNodeStatus status, NodeConditionType type, boolean value, Instant since) {
    return RecordedConditions.with(status, type, value, "Reason", since);
  }

  private static SeiNodeStatus at(SeiNodeStatus status, TaskPlan plan) {
    return status.withPlan(plan);
  }

  /** The pod of these tests is of image A. */
  private static TaskPlan replaying(String reason) {
    TaskPlan plan = active(LONG_AGO);
    return plan.withTasks(plan.tasks().stream().map(task -> task.withReason(reason)).toList());
  }

  private static TaskPlan active(String image) {
    TaskPlan plan = aPlan(PlanKind.UPDATE, image, "observe-image").build();
    return plan.withTasks(List.of(plan.tasks().get(0).withStartedAt(RECENTLY)));
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

  private static SeiNodeStatus updated(SeiNodeStatus status, Instant at) {
    String reason = NodeReason.UPDATE_COMPLETE.toString();
    return RecordedConditions.with(
        status, NodeConditionType.NODE_UPDATE_IN_PROGRESS, false, reason, at);
  }
}
