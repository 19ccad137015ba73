package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.PlannedTaskBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.base.FairExecutor;
import io.sei.operator.base.FairSemaphore;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.SidecarTrouble;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.testkit.samples.End;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Evidence that is not of the node's objects: words of a task, and of a log. */
class NodeDiagnosisTest {

  private static final PlannedTask RETRIED =
      PlannedTaskBuilder.builder()
          .type("mark-ready")
          .message("the sidecar is running mark-ready")
          .error("disk is full")
          .build();

  private static final LiveEvidence NO_EVENTS =
      new LiveEvidence(
          null,
          null,
          new ProgressDeadline(Duration.ofMinutes(10)),
          new PerObjectState<>(),
          Clock.fixed(NOW, ZoneOffset.UTC));

  private final FairExecutor<ResourceID> readers =
      new FairExecutor<>("reads", owner -> "", new FairSemaphore(1, 1, 0));

  @AfterEach
  void stop() {
    readers.close();
  }

  static List<String> messagesThatMayLackThePanic() {
    return Arrays.asList(null, "x".repeat(2048), "the last line of a goroutine");
  }

  /** The operator has just started: a plan's task asks before the pass has begun to read logs. */
  @ParameterizedTest
  @MethodSource("messagesThatMayLackThePanic")
  void crashIsNoCrashLoopUntilItsLogIsRead(String message) {
    var log = new CompletableFuture<String>();
    var logs = new CrashLogs(run -> Optional.of(log.join()), new PerObjectState<>(), readers);
    var diagnosis = new NodeDiagnosis(NO_EVENTS, logs);
    NodeSample node = aNode("sei:a").running();
    Pod pod =
        aPod(node)
            .status(
                "seid",
                seid ->
                    seid.waiting("CrashLoopBackOff").lastEnd(End.exit(2, message).ofRun("run-1")))
            .build();

    assertThat(diagnosis.of(node.withPod(pod).pass())).isEmpty();

    log.complete("panic: UPGRADE \"v2\" NEEDED at height: 60: \n\ngoroutine 1 [running]:\n");
    await()
        .untilAsserted(
            () ->
                assertThat(
                        diagnosis.of(
                            node.withPod(logs.withWords(ResourceID.fromResource(node.build()), pod))
                                .pass()))
                    .hasValueSatisfying(
                        finding ->
                            assertThat(finding.reason()).isEqualTo(StallReason.HALTED_AT_UPGRADE)));
  }

  @ParameterizedTest
  @CsvSource({
    "PVC_NOT_READY, claim kept is Pending, 'create it, or see in its Events why it is not Bound'",
    "PVC_IN_USE, claim kept has the data of SeiNode a, 'delete that object (a SeiNode that made the"
        + " claim with dataVolume.onDelete: Retain), or create this SeiNode again with another claim"
        + " in spec.dataVolume.import.pvcName'",
  })
  void claimThatCannotBeUsedIsAVolumeThatIsAwaited(
      NodeReason reason, String message, String nextStep) {
    TaskPlan plan = aPlan(PlanKind.INIT, "sei:a", TaskTypes.ENSURE_DATA_PVC).build();
    PlannedTask waiting =
        plan.tasks().getFirst().with(task -> task.reason(reason.toString()).message(message));
    var logs = new CrashLogs(run -> Optional.empty(), new PerObjectState<>(), readers);

    assertThat(
            new NodeDiagnosis(NO_EVENTS, logs)
                .of(
                    aNode("sei:a")
                        .status(SeiNodeStatus.empty().withPlan(plan.withTasks(List.of(waiting))))
                        .pass()))
        .hasValueSatisfying(
            finding -> {
              assertThat(finding.reason()).isEqualTo(StallReason.VOLUME_PENDING);
              assertThat(finding.message()).isEqualTo(message + "; " + nextStep);
            });
  }

  @Test
  void taskThatRunsAgainIsToldByWhatItFailedWith() {
    assertThat(NodeDiagnosis.words(SidecarTrouble.TASK_FAILED, RETRIED)).isEqualTo("disk is full");
  }

  @Test
  void sidecarThatCannotBeAskedIsToldByWhatWasMetLast() {
    assertThat(NodeDiagnosis.words(SidecarTrouble.UNREACHABLE, RETRIED.withMessage("refused")))
        .isEqualTo("refused");
    assertThat(NodeDiagnosis.words(SidecarTrouble.NONE, RETRIED.withMessage(null)))
        .isEqualTo("disk is full");
  }

  @Test
  void aTaskOfTheOperatorIsNoWordOfTheSidecar() {
    PlannedTask waits =
        RETRIED.with(
            builder -> builder.type("observe-image").message("the sidecar does not respond"));

    assertThat(NodeDiagnosis.words(SidecarTrouble.UNREACHABLE, waits)).isNull();
  }
}
