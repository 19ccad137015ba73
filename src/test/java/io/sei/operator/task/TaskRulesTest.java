package io.sei.operator.task;

import static io.sei.operator.sidecar.SidecarTask.Status.COMPLETED;
import static io.sei.operator.sidecar.SidecarTask.Status.FAILED;
import static io.sei.operator.sidecar.SidecarTask.Status.RUNNING;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.DataReset;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.NodeTaskKind;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.AwaitAction;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.AwaitCondition;
import io.sei.operator.api.v1alpha1.NodeTaskPhase;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.NodeTaskTransaction;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskSpec;
import io.sei.operator.api.v1alpha1.SeiNodeTaskStatus;
import io.sei.operator.api.v1alpha1.SigningElsewhere;
import io.sei.operator.api.v1alpha1.TaskPlanBuilder;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.render.Labels;
import io.sei.operator.sidecar.SidecarException;
import io.sei.operator.sidecar.SidecarTask;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class TaskRulesTest {

  private static final Instant NOW = Instant.parse("2026-11-26T09:00:00Z");
  private static final SeiNodeTask VOTE = Tasks.vote("ns", "vote", "node");
  private static final SeiNodeTask IMAGE = Tasks.image("ns", "image", "node", "sei:b");
  private static final Target TARGET = target(NodePhase.RUNNING, "u", "c", 0);
  private static final SeiNodeTaskStatus SEEN = SeiNodeTaskStatus.empty().withStartedAt(NOW);
  private static final SeiNodeTaskStatus SENT =
      SEEN.withTask(TARGET.submission("id").withSubmittedAt(NOW));

  static Stream<Optional<Target>> withoutTheRecord() {
    return Stream.of(
        Optional.empty(),
        Optional.of(target(NodePhase.RUNNING, "another", "c", 0)),
        Optional.of(target(NodePhase.RUNNING, "u", "another", 0)),
        Optional.of(target(NodePhase.RUNNING, "u", "c", 1)));
  }

  @ParameterizedTest
  @MethodSource("withoutTheRecord")
  void whatWentToOtherDataIsNotSubmittedAgain(Optional<Target> target) {
    assertThat(TaskRules.next(VOTE, SENT, target, NOW))
        .isInstanceOfSatisfying(
            TaskStep.Fail.class,
            fail -> assertThat(fail.reason()).isEqualTo(NodeTaskReason.INCLUSION_UNDETERMINED));
  }

  @Test
  void whatIsRecordedIsLookedForWhateverThePhase() {
    assertThat(TaskRules.next(VOTE, SEEN, Optional.of(TARGET), NOW))
        .isInstanceOf(TaskStep.Submit.class);
    assertThat(TaskRules.next(VOTE, SENT, Optional.of(TARGET), NOW))
        .isInstanceOf(TaskStep.Look.class);
    Target failed = target(NodePhase.FAILED, "u", "c", 0);
    assertThat(TaskRules.next(VOTE, SENT, Optional.of(failed), NOW))
        .isInstanceOf(TaskStep.Look.class);
    assertThat(TaskRules.next(VOTE, SENT, Optional.of(without(failed)), NOW))
        .isInstanceOf(TaskStep.Wait.class);
  }

  /** The Go operator records an id and no more. */
  @Test
  void whatTheGoOperatorSubmittedIsLookedFor() {
    var bare = SENT.withTask(SENT.task().with(builder -> builder.nodeUid(null).claimUid(null)));

    assertThat(TaskRules.next(VOTE, bare, Optional.of(TARGET), NOW))
        .isInstanceOf(TaskStep.Look.class);
  }

  @Test
  void aNodeIsWaitedForAndNotForEver() {
    Target starting = target(NodePhase.INITIALIZING, "u", "c", 0);
    assertThat(TaskRules.next(VOTE, SEEN, Optional.of(starting), NOW))
        .isEqualTo(
            new TaskStep.Wait(
                NodeTaskReason.PHASE_NOT_MET, "SeiNode node is Initializing, not Running"));
    assertThat(TaskRules.next(VOTE, SEEN, Optional.of(without(TARGET)), NOW))
        .isInstanceOf(TaskStep.Wait.class);

    Instant late = NOW.plus(Duration.ofMinutes(5)).plusSeconds(1);
    assertThat(failure(TaskRules.next(VOTE, SEEN, Optional.of(starting), late)))
        .isEqualTo(NodeTaskReason.TIMEOUT);
    assertThat(failure(TaskRules.next(VOTE, SEEN, Optional.empty(), late)))
        .isEqualTo(NodeTaskReason.TARGET_RESOLVE_FAILED);
    assertThat(TaskRules.next(VOTE, SEEN, Optional.of(TARGET), late))
        .isInstanceOf(TaskStep.Submit.class);
  }

  @Test
  void aTaskOnANodeThatCannotBeReadWaitsWhateverItHasSubmitted() {
    Target target = target(NodePhase.RUNNING, "u", "c", 0);
    Samples.unreadable(target.node(), "spec").setSpec(null);
    var waits =
        new TaskStep.Wait(
            NodeTaskReason.PHASE_NOT_MET, "SeiNode node cannot be read: spec is too large");

    for (SeiNodeTaskStatus status : List.of(SEEN, SENT)) {
      assertThat(TaskRules.next(VOTE, status, Optional.of(target), NOW)).isEqualTo(waits);
      assertThat(TaskRules.next(IMAGE, status, Optional.of(target), NOW)).isEqualTo(waits);
    }
  }

  @ParameterizedTest(name = "spec.image {1}, running {2}, given {0}: {3}")
  @CsvSource({
    "false, sei:a, sei:a, Give",
    "false, sei:b, sei:a, Give",
    "true,  sei:b, sei:a, Wait",
    "true,  sei:b, sei:b, Done",
    "true,  sei:c, sei:b, Fail"
  })
  void anImageIsGivenOnceAndWaitedFor(boolean given, String declared, String running, String step) {
    SeiNode node = Samples.node("ns", "node", Samples.fullNode(declared));
    node.getMetadata().setUid("u");
    node.setStatus(
        SeiNodeStatus.empty()
            .with(builder -> builder.phase(NodePhase.RUNNING).currentImage(running)));
    var target = new Target(node, TARGET.pod(), Optional.of("another claim"), Optional.empty());
    var sent = SENT.withTask(SENT.task().withExecutionStartedAt(given ? NOW : null));

    assertThat(TaskRules.next(IMAGE, sent, Optional.of(target), NOW).getClass().getSimpleName())
        .isEqualTo(step);
    assertThat(TaskRules.next(IMAGE, SEEN, Optional.of(target), NOW))
        .isEqualTo(new TaskStep.Give(target, new ImageUpdateRequest("sei:b")));
  }

  @Test
  void anImageIsGivenToNoNodeOfAFleetNorToAnotherOfTheName() {
    SeiNode child = Samples.node("ns", "node", Samples.fullNode("sei:a"));
    child.getMetadata().setLabels(Map.of(Labels.NODE_DEPLOYMENT, "fleet"));

    var target = new Target(child, TARGET.pod(), TARGET.claimUid(), Optional.empty());
    assertThat(TaskRules.next(IMAGE, SEEN, Optional.of(target), NOW))
        .isEqualTo(
            new TaskStep.Fail(
                NodeTaskReason.PARAMS_BUILD_FAILED,
                "SeiNode node belongs to fleet fleet, which gives it its image; set"
                    + " spec.template.spec.image there"));
    Target another = target(NodePhase.RUNNING, "another", "c", 0);
    assertThat(failure(TaskRules.next(IMAGE, SENT, Optional.of(another), NOW)))
        .isEqualTo(NodeTaskReason.TASK_FAILED);
  }

  @Test
  void anImageIsGivenToAValidatorOnlyIfItsNodeAllowsIt() {
    SeiNode validator =
        Samples.node(
            "ns",
            "node",
            Samples.fullNode("sei:a")
                .with(spec -> spec.fullNode(null).validator(ValidatorBuilder.builder().build())));
    validator.setStatus(SeiNodeStatus.empty().withPhase(NodePhase.RUNNING));
    var target = new Target(validator, TARGET.pod(), TARGET.claimUid(), Optional.empty());
    assertThat(TaskRules.next(IMAGE, SEEN, Optional.of(target), NOW))
        .isEqualTo(
            new TaskStep.Fail(
                NodeTaskReason.PARAMS_BUILD_FAILED,
                "SeiNode node is a validator; set its spec.image, or let tasks do so with its"
                    + " annotation sei.io/tasks-may-set-image: \"true\", and create another task"));

    validator.getMetadata().setAnnotations(Map.of("sei.io/tasks-may-set-image", "yes"));
    assertThat(TaskRules.next(IMAGE, SEEN, Optional.of(target), NOW))
        .isInstanceOf(TaskStep.Fail.class);

    validator.getMetadata().setAnnotations(Map.of("sei.io/tasks-may-set-image", "true"));
    assertThat(TaskRules.next(IMAGE, SEEN, Optional.of(target), NOW))
        .isInstanceOf(TaskStep.Give.class);
  }

  @ParameterizedTest(name = "{0}, action {1}: {2}")
  @CsvSource({
    "well,      SIGTERM_SEID, Submit",
    "held,      SIGTERM_SEID, Fail",
    "elsewhere, SIGTERM_SEID, Fail",
    "at risk,   SIGTERM_SEID, Wait",
    "planned,   SIGTERM_SEID, Wait",
    "restarts,  SIGTERM_SEID, Wait",
    "held,      ,             Submit",
    "at risk,   ,             Submit",
  })
  void seidIsEndedAtAHeightOnlyWhereItMayBeRestarted(
      String state, AwaitAction action, String step) {
    assertThat(nameOf(TaskRules.next(awaiting(action), SEEN, Optional.of(in(state)), NOW)))
        .isEqualTo(step);
  }

  /** Once submitted, only what would cost data takes it back. */
  @ParameterizedTest(name = "{0}, action {1}: {2}")
  @CsvSource({
    "well,    SIGTERM_SEID, Look",
    "at risk, SIGTERM_SEID, Cancel",
    "planned, SIGTERM_SEID, Look",
    "at risk, ,             Look",
  })
  void whatIsToEndSeidIsCancelledOnceItsDataIsAtRisk(
      String state, AwaitAction action, String step) {
    assertThat(nameOf(TaskRules.next(awaiting(action), SENT, Optional.of(in(state)), NOW)))
        .isEqualTo(step);
  }

  /** The node, in a state that keeps its seid from being restarted. */
  private static Target in(String state) {
    Target target = target(NodePhase.RUNNING, "u", "c", 0);
    SeiNode node = target.node();
    switch (state) {
      case "held" ->
          node.setSpec(
              node.getSpec().withMaintenance(new Maintenance(Maintenance.Hold.AFTER_EXIT)));
      case "elsewhere" ->
          node.setStatus(
              node.getStatus().withSigningElsewhere(new SigningElsewhere(null, NOW, null)));
      case "at risk" ->
          node.setStatus(
              node.getStatus()
                  .withConditions(
                      Conditions.with(
                          List.of(),
                          NodeConditionType.DATA_VOLUME_AT_RISK,
                          ConditionStatus.TRUE,
                          NodeReason.PAUSED,
                          "the claim goes",
                          1L,
                          NOW)));
      case "planned" ->
          node.setStatus(
              node.getStatus().withPlan(TaskPlanBuilder.builder().phase(PlanPhase.ACTIVE).build()));
      case "restarts" -> node.getMetadata().setAnnotations(Map.of("sei.io/seid-restart", "new"));
      default -> assertThat(state).isEqualTo("well");
    }
    return target;
  }

  private static String nameOf(TaskStep step) {
    return step.getClass().getSimpleName();
  }

  private static SeiNodeTask awaiting(AwaitAction action) {
    var await = new AwaitCondition(new AwaitCondition.Height(9L), action);
    return task(Tasks.await("ns", "await", "node").getSpec().withAwaitCondition(await));
  }

  @Test
  void aTransactionForAnotherChainIsRefused() {
    SeiNode other = Samples.node("ns", "node", Samples.fullNode("sei:a").withChainId("pacific-1"));

    assertThat(TaskRequest.of(VOTE, other))
        .isInstanceOfSatisfying(
            TaskRequest.Refuse.class,
            refuse -> {
              assertThat(refuse.reason()).isEqualTo(NodeTaskReason.PARAMS_BUILD_FAILED);
              assertThat(refuse.message()).startsWith("spec.govVote.chainId is atlantic-2");
            });
  }

  @Test
  void aFinishedTaskIsDeletedOnceItsTimeIsOver() {
    var done = SENT.in(NodeTaskPhase.COMPLETE, NOW);
    SeiNodeTask kept = task(VOTE.getSpec().withTtlSecondsAfterFinished(60));

    assertThat(TaskRules.next(VOTE, done, Optional.empty(), NOW))
        .isEqualTo(new TaskStep.Rest(Optional.empty()));
    assertThat(TaskRules.next(kept, done, Optional.empty(), NOW.plusSeconds(59)))
        .isEqualTo(new TaskStep.Rest(Optional.of(Duration.ofSeconds(1))));
    assertThat(TaskRules.next(kept, done, Optional.empty(), NOW.plusSeconds(60)))
        .isInstanceOf(TaskStep.Expire.class);
  }

  @ParameterizedTest
  @CsvSource({
    "UNREACHABLE, true",
    "BUSY, true",
    "WITHHELD, false",
    "BLIND, false",
    "FORBIDDEN, false",
    "UNSUPPORTED, false",
    "REJECTED, false"
  })
  void onlyWhatCannotHaveArrivedIsSubmittedAnew(SidecarException.Kind kind, boolean may) {
    assertThat(TaskRules.mayHaveArrived(kind)).isEqualTo(may);
  }

  @ParameterizedTest
  @CsvSource({
    "COMPLETED, committed_ok, true, CONFIRMED",
    "COMPLETED, committed_failed, false, TX_FAILED",
    "COMPLETED, pending, false, INCLUSION_UNDETERMINED",
    "COMPLETED, unverifiable, false, INCLUSION_UNDETERMINED",
    "COMPLETED, , false, INCLUSION_UNDETERMINED",
    "FAILED, committed_failed, false, TX_FAILED",
    "FAILED, unverifiable, false, INCLUSION_UNDETERMINED",
    "FAILED, , false, TASK_FAILED",
  })
  void aTransactionEndsAsTheChainHasIt(
      SidecarTask.Status status, String inclusion, boolean well, NodeTaskReason reason) {
    Map<String, String> result =
        inclusion == null
            ? Map.of("txHash", "AB", "height", "7")
            : Map.of("txHash", "AB", "height", "7", "inclusionStatus", inclusion);

    assertThat(answered(NodeTaskKind.GOV_VOTE, vote(), status, result))
        .isInstanceOfSatisfying(
            NodeTaskOutcome.Ended.class,
            ended -> {
              assertThat(ended.well()).isEqualTo(well);
              assertThat(ended.reason()).isEqualTo(reason);
              assertThat(ended.tx()).contains(new NodeTaskTransaction("AB", 7L, null));
            });
  }

  @Test
  void whatTheSidecarDoesNotKnowIsSubmittedAgainOnlyIfThatHasNoEffect() {
    assertThat(lost(NodeTaskKind.GOV_VOTE, vote()))
        .isEqualTo(NodeTaskReason.INCLUSION_UNDETERMINED);
    assertThat(lost(NodeTaskKind.AWAIT_CONDITION, await(AwaitAction.SIGTERM_SEID)))
        .isEqualTo(NodeTaskReason.TASK_FAILED);
    assertThat(TaskRules.answered(NodeTaskKind.AWAIT_CONDITION, await(null), Optional.empty()))
        .isInstanceOf(NodeTaskOutcome.Again.class);
  }

  @Test
  void aTaskOfAnotherTypeIsNotTheOne() {
    var other = new SidecarTask("id", "mark-ready", COMPLETED, 1, "", Map.of());

    assertThat(TaskRules.answered(NodeTaskKind.GOV_VOTE, vote(), Optional.of(other)))
        .isInstanceOfSatisfying(
            NodeTaskOutcome.Ended.class, ended -> assertThat(ended.well()).isFalse());
  }

  @Test
  void whatTakesTooLongEndsAndATransactionIsInDoubt() {
    SeiNodeTask limited = task(VOTE.getSpec().withTimeoutSeconds(10));
    assertThat(TaskRules.isOverdue(limited, SENT.task(), NOW.plusSeconds(10))).isFalse();
    assertThat(TaskRules.isOverdue(limited, SENT.task(), NOW.plusSeconds(11))).isTrue();
    assertThat(TaskRules.isOverdue(VOTE, SENT.task(), NOW.plusSeconds(9_999))).isFalse();
    assertThat(TaskRules.overdue(limited).reason())
        .isEqualTo(NodeTaskReason.INCLUSION_UNDETERMINED);
    SeiNodeTask await = Tasks.await("ns", "await", "node");
    assertThat(TaskRules.overdue(task(await.getSpec().withTimeoutSeconds(10))).reason())
        .isEqualTo(NodeTaskReason.TIMEOUT);
    assertThat(answered(NodeTaskKind.GOV_VOTE, vote(), RUNNING, Map.of()))
        .isInstanceOf(NodeTaskOutcome.Running.class);
    assertThat(answered(NodeTaskKind.AWAIT_CONDITION, await(null), FAILED, Map.of()))
        .isInstanceOf(NodeTaskOutcome.Ended.class);
  }

  @Test
  void theSidecarIsGivenWhatItKnowsTheParametersBy() {
    assertThat(vote().params().toString())
        .isEqualTo(
            "{'chainId':'atlantic-2','keyName':'validator','proposalId':5,'option':'yes','fees':'4000usei','gas':200000}"
                .replace('\'', '"'));
    assertThat(vote().needs()).containsExactly("mark-not-ready", "gov-vote");
    assertThat(await(AwaitAction.SIGTERM_SEID).params().toString())
        .isEqualTo(
            "{'condition':'height','targetHeight':9,'action':'SIGTERM_SEID'}".replace('\'', '"'));
  }

  private static TaskRequest.Submit vote() {
    return (TaskRequest.Submit) TaskRequest.of(VOTE, TARGET.node());
  }

  private static TaskRequest.Submit await(AwaitAction action) {
    SeiNodeTask task = Tasks.await("ns", "await", "node");
    var height = new AwaitCondition.Height(9L);
    return (TaskRequest.Submit)
        TaskRequest.of(
            task(task.getSpec().withAwaitCondition(new AwaitCondition(height, action))),
            TARGET.node());
  }

  private static SeiNodeTask task(SeiNodeTaskSpec spec) {
    return Tasks.task("ns", "task", spec);
  }

  private static NodeTaskOutcome answered(
      NodeTaskKind kind,
      TaskRequest.Submit request,
      SidecarTask.Status status,
      Map<String, String> result) {
    var task = new SidecarTask("id", request.type(), status, 1, "", result);
    return TaskRules.answered(kind, request, Optional.of(task));
  }

  private static NodeTaskReason lost(NodeTaskKind kind, TaskRequest.Submit request) {
    return ((NodeTaskOutcome.Ended) TaskRules.answered(kind, request, Optional.empty())).reason();
  }

  private static NodeTaskReason failure(TaskStep step) {
    return ((TaskStep.Fail) step).reason();
  }

  private static Target target(NodePhase phase, String uid, String claim, long reset) {
    SeiNode node = Samples.node("ns", "node", Samples.fullNode("sei:a"));
    node.getMetadata().setUid(uid);
    var done = new DataReset(reset, null, null, null);
    node.setStatus(SeiNodeStatus.empty().with(builder -> builder.phase(phase).dataReset(done)));
    Pod pod = new PodBuilder().withNewMetadata().withUid("p").endMetadata().build();
    return new Target(node, Optional.of(pod), Optional.of(claim), Optional.empty());
  }

  private static Target without(Target target) {
    return new Target(target.node(), Optional.empty(), Optional.empty(), Optional.empty());
  }
}
