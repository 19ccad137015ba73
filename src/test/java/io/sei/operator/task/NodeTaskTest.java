package io.sei.operator.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeTaskConditionType;
import io.sei.operator.api.v1alpha1.NodeTaskKind;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.AwaitAction;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.AwaitCondition;
import io.sei.operator.api.v1alpha1.NodeTaskPhase;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskStatus;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.node.NodeTestCase;
import io.sei.operator.testkit.SidecarTask;
import io.sei.operator.testkit.SidecarVersion;
import io.sei.operator.testkit.samples.Samples;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tasks of a node on a real control plane, with a sidecar that is simulated. */
class NodeTaskTest extends NodeTestCase {

  private static final String TASK = "task";
  private static final String GOV_VOTE = "gov-vote";
  private static final String AWAIT = "await-condition";

  @Test
  void aVoteIsSubmittedOnceAndConfirmed() {
    createRunningWith(SidecarVersion.V0_0_70);
    create(Tasks.vote(namespace, TASK, NODE));

    awaitEnd(NodeTaskPhase.COMPLETE, NodeTaskReason.CONFIRMED);
    assertThat(status().outputs().govVote().height()).isEqualTo(7);
    assertThat(status().task().id()).isEqualTo(TaskRules.id(task()));
    assertThat(votes()).isEqualTo(1);
    eventually(() -> assertThat(events(TASK, "Confirmed")).hasSize(1));
  }

  @Tag("long")
  @Test
  void anOlderSidecarIsGivenNoTransactionAndEndsNoSeid() {
    createRunningWith(SidecarVersion.V0_0_62);
    create(Tasks.vote(namespace, TASK, NODE));

    awaitEnd(NodeTaskPhase.FAILED, NodeTaskReason.SIDECAR_UNSUPPORTED);
    assertThat(votes()).isZero();
    assertThat(status().task()).isNull();
    client.resource(task()).delete();
    eventually(() -> assertThat(task()).isNull());

    create(endingSeid());

    awaitEnd(NodeTaskPhase.FAILED, NodeTaskReason.SIDECAR_UNSUPPORTED);
    assertThat(message()).contains("is older than v0.0.66");
    assertThat(sidecar.executions(namespace, NODE, AWAIT)).isZero();
  }

  @Tag("long")
  @Test
  void unjailIsRefusedByNameWhereTheSidecarDoesNotKnowIt() {
    createRunningWith(SidecarVersion.V0_0_70);
    create(Tasks.unjail(namespace, TASK, NODE));

    awaitEnd(NodeTaskPhase.FAILED, NodeTaskReason.SIDECAR_UNSUPPORTED);
    assertThat(message()).contains("does not know the task type unjail");
  }

  @Tag("long")
  @Test
  void unjailIsSubmittedWhereItDoes() {
    createRunningWith(SidecarVersion.IN_TREE);
    create(Tasks.unjail(namespace, TASK, NODE));

    awaitEnd(NodeTaskPhase.COMPLETE, NodeTaskReason.CONFIRMED);
    assertThat(status().outputs().unjail().txHash()).isNotEmpty();
  }

  /** Its configuration indexes no transactions, so its sidecar cannot find one by its hash. */
  @Tag("long")
  @Test
  void transactionsOfADefaultValidatorAreConfirmedByItsBlocks() {
    sidecar.version(SidecarVersion.IN_TREE);
    create(
        Samples.fullNode(A)
            .with(spec -> spec.fullNode(null).validator(ValidatorBuilder.builder().build())));
    awaitUpToDate(A);
    create(Tasks.upgrade(namespace, TASK, NODE));

    awaitEnd(NodeTaskPhase.COMPLETE, NodeTaskReason.CONFIRMED);
    assertThat(status().outputs().govSoftwareUpgrade().proposalId()).isEqualTo(3);
    assertThat(status().outputs().govSoftwareUpgrade().height()).isPositive();
    assertThat(
            Conditions.find(status().conditions(), NodeTaskConditionType.READY)
                .orElseThrow()
                .message())
        .contains("of SeiNode node", "node transaction indexing is disabled");
    for (SeiNodeTask task :
        List.of(Tasks.vote(namespace, "vote", NODE), Tasks.unjail(namespace, "unjail", NODE))) {
      create(task);
      eventually(
          () ->
              assertThat(read(SeiNodeTask.class, task.getMetadata().getName()).getStatus().phase())
                  .isEqualTo(NodeTaskPhase.COMPLETE));
    }
    assertThat(votes()).isEqualTo(1);
    assertThat(sidecar.executions(namespace, NODE, "gov-software-upgrade")).isEqualTo(1);
  }

  @Tag("long")
  @Test
  void aTransactionThatTheSidecarForgotIsNotSubmittedAgain() throws Exception {
    createRunningWith(SidecarVersion.V0_0_70);
    sidecar.faults(namespace, NODE).hold(GOV_VOTE);
    create(Tasks.vote(namespace, TASK, NODE));
    eventually(() -> assertThat(status().task().status()).isEqualTo(NodeTaskPhase.RUNNING));

    forget();

    awaitEnd(NodeTaskPhase.FAILED, NodeTaskReason.INCLUSION_UNDETERMINED);
    sidecar.faults(namespace, NODE).release(GOV_VOTE);
    operator.restart();
    patch(task(), "{'metadata':{'annotations':{'touched':'yes'}}}");
    awaitAnotherLookAtNodes();
    assertThat(votes()).isEqualTo(1);
    assertThat(status().phase()).isEqualTo(NodeTaskPhase.FAILED);
  }

  /** A sidecar runs a failed task again if it is given the same id. */
  @Test
  void aVoteWhoseStatusIsLostIsFoundAtTheSidecar() {
    createRunningWith(SidecarVersion.V0_0_70);
    sidecar.faults(namespace, NODE).fail(GOV_VOTE, 1, "out of gas");
    create(Tasks.vote(namespace, TASK, NODE));
    awaitEnd(NodeTaskPhase.FAILED, NodeTaskReason.TASK_FAILED);
    assertThat(controlPlane.kubectl("get", "snt", "-n", namespace, "-o", "wide").stdout())
        .as("the node was Ready for the task, and that is not its reason")
        .containsPattern("GovVote +" + NODE + " +Failed +TaskFailed")
        .doesNotContain("PhaseMet");

    patchStatus(task(), "{'status':null}");
    patch(task(), "{'metadata':{'annotations':{'touched':'yes'}}}");

    awaitEnd(NodeTaskPhase.FAILED, NodeTaskReason.TASK_FAILED);
    assertThat(message()).contains("out of gas");
    assertThat(votes()).isEqualTo(1);
  }

  @Test
  void aStatusThatSomebodyWroteBroadcastsNothing() {
    createRunningWith(SidecarVersion.V0_0_70);
    operator.stop();
    create(Tasks.vote(namespace, TASK, NODE));
    patchStatus(
        task(),
        "{'status':{'phase':'Pending','startedAt':'1970-01-01T00:00:00Z','task':{'id':'../healthz','status':'Complete'},'outputs':{}}}");

    operator.start();

    awaitEnd(NodeTaskPhase.FAILED, NodeTaskReason.INCLUSION_UNDETERMINED);
    assertThat(votes()).isZero();
  }

  @Tag("long")
  @Test
  void anImageIsSetAndWaitedFor() {
    createRunning();
    create(Tasks.image(namespace, TASK, NODE, "sei:b"));

    awaitEnd(NodeTaskPhase.COMPLETE, NodeTaskReason.TASK_COMPLETE);
    assertThat(status().outputs().updateNodeImage().appliedImage()).isEqualTo("sei:b");
    assertThat(node().getSpec().image()).isEqualTo("sei:b");
  }

  @Tag("long")
  @Test
  void readinessIsWaitedForAndNotForced() {
    createRunningWith(SidecarVersion.V0_0_70);
    create(Tasks.ready(namespace, "well", NODE));
    eventually(
        () ->
            assertThat(read(SeiNodeTask.class, "well").getStatus().phase())
                .isEqualTo(NodeTaskPhase.COMPLETE));
    int marks = sidecar.executions(namespace, NODE, "mark-ready");

    patch("{'spec':{'maintenance':{'hold':'Immediate'}}}");
    create(Tasks.ready(namespace, TASK, NODE));

    awaitEnd(NodeTaskPhase.FAILED, NodeTaskReason.TASK_TERMINAL_ERROR);
    assertThat(message())
        .isEqualTo(
            "SeiNode node is held; take spec.maintenance.hold out; create another task then");
    assertThat(sidecar.executions(namespace, NODE, "mark-ready")).isEqualTo(marks);
  }

  @Tag("long")
  @Test
  void whatWaitsIsCancelledWithItsTask() {
    createRunningWith(SidecarVersion.V0_0_70);
    sidecar.faults(namespace, NODE).hold(AWAIT);
    create(Tasks.await(namespace, TASK, NODE));
    eventually(() -> assertThat(status().task().status()).isEqualTo(NodeTaskPhase.RUNNING));

    client.resource(task()).delete();

    eventually(
        () ->
            assertThat(sidecar.tasks(namespace, NODE))
                .extracting(SidecarTask::type)
                .doesNotContain(AWAIT));
  }

  @Test
  void whatIsToEndSeidIsCancelledOnceItsDataIsAtRisk() {
    createRunningWith(SidecarVersion.V0_0_70);
    sidecar.faults(namespace, NODE).hold(AWAIT);
    create(endingSeid());
    eventually(() -> assertThat(status().task().status()).isEqualTo(NodeTaskPhase.RUNNING));

    client.resource(read(PersistentVolumeClaim.class, "data-" + NODE)).delete();

    awaitEnd(NodeTaskPhase.FAILED, NodeTaskReason.TASK_FAILED);
    assertThat(message()).contains("cancelled before seid was ended", "is at risk");
    assertThat(sidecar.tasks(namespace, NODE)).extracting(SidecarTask::type).doesNotContain(AWAIT);
  }

  private SeiNodeTask endingSeid() {
    var await = new AwaitCondition(new AwaitCondition.Height(9L), AwaitAction.SIGTERM_SEID);
    return Tasks.task(
        namespace, TASK, Tasks.await(namespace, TASK, NODE).getSpec().withAwaitCondition(await));
  }

  @Tag("long")
  @Test
  void aTaskWaitsForItsNodeAndIsDeletedInTheEnd() {
    sidecar.version(SidecarVersion.V0_0_70);
    SeiNodeTask await = Tasks.await(namespace, TASK, NODE);
    create(Tasks.task(namespace, TASK, await.getSpec().withTtlSecondsAfterFinished(1)));
    eventually(
        () ->
            assertThat(
                    Conditions.find(status().conditions(), NodeTaskConditionType.TARGET_READY)
                        .orElseThrow()
                        .message())
                .isEqualTo("there is no SeiNode node in the namespace"));

    create(spec(A));

    eventually(() -> assertThat(task()).isNull());
    assertThat(sidecar.executions(namespace, NODE, AWAIT)).isEqualTo(1);
  }

  @Test
  void theApiServerNamesTheFieldThatIsWrong() {
    SeiNodeTask vote = Tasks.vote(namespace, TASK, NODE);

    assertThatThrownBy(
            () ->
                create(
                    Tasks.task(
                        namespace, TASK, vote.getSpec().withKind(NodeTaskKind.AWAIT_CONDITION))))
        .hasMessageContaining("spec.awaitCondition is required when kind=AwaitCondition");
  }

  private void createRunningWith(SidecarVersion version) {
    sidecar.version(version);
    createRunning();
  }

  private void create(SeiNodeTask task) {
    client.resource(task).create();
  }

  private SeiNodeTask task() {
    return read(SeiNodeTask.class, TASK);
  }

  private SeiNodeTaskStatus status() {
    return task().getStatus();
  }

  private int votes() {
    return sidecar.executions(namespace, NODE, GOV_VOTE);
  }

  private String message() {
    return Conditions.find(status().conditions(), NodeTaskConditionType.FAILED)
        .orElseThrow()
        .message();
  }

  private void awaitEnd(NodeTaskPhase phase, NodeTaskReason reason) {
    eventually(
        () -> {
          assertThat(status().phase()).isEqualTo(phase);
          assertThat(status().conditions())
              .anyMatch(condition -> condition.isTrue() && condition.isFor(reason));
        });
  }

  /** Deletes the task at the sidecar, as a user may. */
  private void forget() throws Exception {
    URI row = URI.create(sidecar.url(namespace, NODE) + "/v0/tasks/" + status().task().id());
    HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(row).DELETE().build(), BodyHandlers.discarding());
  }
}
