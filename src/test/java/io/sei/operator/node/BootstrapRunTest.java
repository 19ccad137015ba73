package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.base.FairExecutor;
import io.sei.operator.base.FairSemaphore;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.objects.BootstrapState;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.End;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A run that ended, of whose log the kubelet kept the end only. */
class BootstrapRunTest {

  private static final String IMAGE = "sei:a";
  private static final SeiNode NODE = aNode(IMAGE).build();

  private final CompletableFuture<String> log = new CompletableFuture<>();
  private final FairExecutor<ResourceID> readers =
      new FairExecutor<>("reads", owner -> "chain", new FairSemaphore(1, 1, 0));
  private final CrashLogs logs =
      new CrashLogs(run -> Optional.of(log.join()), new PerObjectState<>(), readers);
  private final BootstrapRun run = new BootstrapRun(null, new NodeDiagnosis(null, logs));

  @AfterEach
  void stop() {
    log.completeExceptionally(new KubernetesClientException("the test is over"));
    readers.close();
  }

  @Test
  void isNotGivenUpBeforeItsLogIsRead() {
    assertThat(outcome(143)).isInstanceOf(TaskOutcome.Wait.class);

    log.complete("time=1 level=INFO msg=\"halting node per configuration\" height=160\n");

    await()
        .untilAsserted(() -> assertThat(state(143)).isInstanceOf(BootstrapState.Succeeded.class));
  }

  @Test
  void failsWithTheLineThatSaysWhy() {
    assertThat(outcome(1)).isInstanceOf(TaskOutcome.Wait.class);

    log.complete("Error: port taken\nUsage:\n  seid start [flags]\n");

    await()
        .untilAsserted(
            () ->
                assertThat(outcome(1))
                    .isEqualTo(
                        new TaskOutcome.Fail(
                            "bootstrap pod job-1: seid exited with code 1: Error: port taken")));
  }

  private TaskOutcome outcome(int exitCode) {
    NodePass pass = reconcile(exitCode);
    return run.interrupted(pass, (BootstrapState.Interrupted) BootstrapRun.state(pass));
  }

  private BootstrapState state(int exitCode) {
    return BootstrapRun.state(reconcile(exitCode));
  }

  /** Observes an end with the log lines that are known then. */
  private NodePass reconcile(int exitCode) {
    Pod pod = logs.withWords(ResourceID.fromResource(NODE), pod(exitCode));
    return aNode(NODE)
        .status(awaiting(IMAGE))
        .with(view -> view.withBootstrapPods(List.of(pod)))
        .pass();
  }

  /** The status of a node whose bootstrap Job was made, and is awaited. */
  static SeiNodeStatus awaiting(String image) {
    return SeiNodeStatus.empty()
        .withPlan(
            aPlan(
                    PlanKind.INIT,
                    image,
                    TaskTypes.DEPLOY_BOOTSTRAP_JOB,
                    TaskTypes.AWAIT_BOOTSTRAP,
                    TaskTypes.TEARDOWN_BOOTSTRAP)
                .complete(1)
                .build());
  }

  private static Pod pod(int exitCode) {
    String words = "      --flag string\n".repeat(200);
    return aPod("job-1")
        .namespace(NODE.getMetadata().getNamespace())
        .uid("uid")
        .annotation(Annotations.BOOTSTRAP_RUN, "id-" + TaskTypes.DEPLOY_BOOTSTRAP_JOB)
        .phase("Failed")
        .status(
            "seid",
            sample -> sample.ended(End.exit(exitCode, words).because(null).ofRun("containerd://1")))
        .build();
  }
}
