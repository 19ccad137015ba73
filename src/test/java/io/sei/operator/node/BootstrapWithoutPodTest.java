package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.base.FairExecutor;
import io.sei.operator.base.FairSemaphore;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.node.objects.BootstrapJobs;
import io.sei.operator.node.objects.BootstrapState;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A bootstrap Job that is complete, and whose pod is not in the cache. */
class BootstrapWithoutPodTest {

  private static final String IMAGE = "sei:a";
  private static final SeiNode NODE = node();
  private static final String NAME = Names.bootstrapJob(NODE);

  private final FaultyApiServer server = new FaultyApiServer(Config.empty());
  private final KubernetesClient client = KubernetesClients.create(server.config());
  private final FairExecutor<ResourceID> readers =
      new FairExecutor<>("reads", owner -> "chain", new FairSemaphore(1, 1, 0));
  private final BootstrapRun run =
      new BootstrapRun(
          new BootstrapJobs(new KubeApi(client), new Vetoes(List.of()), (node, id) -> null),
          new NodeDiagnosis(
              null, new CrashLogs(end -> Optional.empty(), new PerObjectState<>(), readers)));

  @AfterEach
  void close() {
    readers.close();
    client.close();
    server.close();
  }

  /** The pod alone knows whether seid reached its height. */
  @Test
  void staysWhileItsPodIsThere() {
    serve(aPod(NAME + "-1").build());

    assertThat(outcome())
        .isInstanceOfSatisfying(
            TaskOutcome.Wait.class,
            wait -> assertThat(wait.reason()).isEqualTo(TaskReason.POD_CHANGED));
    assertThat(server.received()).noneMatch(request -> request.method().equals("DELETE"));
  }

  @Test
  void isMadeAgainOnceItsPodIsGone() {
    serve();

    assertThat(outcome()).isInstanceOf(TaskOutcome.Wait.class);

    assertThat(server.received())
        .anyMatch(
            request ->
                request.method().equals("DELETE") && request.path().endsWith("/jobs/" + NAME));
    server.heal();
    server.inject(request -> true, ApiFault.error(404, "NotFound"));
    assertThat(outcome()).isInstanceOf(TaskOutcome.Rewind.class);
  }

  private static SeiNode node() {
    SeiNode node = aNode(IMAGE).build();
    node.getMetadata().setUid("node-uid");
    return node;
  }

  private TaskOutcome outcome() {
    NodePass pass = aNode(NODE).status(BootstrapRunTest.awaiting(IMAGE)).pass();
    return run.interrupted(pass, (BootstrapState.Missing) BootstrapRun.state(pass));
  }

  private void serve(Pod... pods) {
    server.inject(request -> true, ApiFault.error(404, "NotFound"));
    var list = new PodListBuilder().withNewMetadata().endMetadata().withItems(pods).build();
    server.answer("/pods", Serialization.asJson(list));
    server.answer("/jobs/" + NAME, Serialization.asJson(job()));
  }

  private static Job job() {
    return new JobBuilder()
        .withNewMetadata()
        .withName(NAME)
        .withNamespace(NODE.getMetadata().getNamespace())
        .withUid("job-uid")
        .addToAnnotations(Annotations.BOOTSTRAP_RUN, "id-" + TaskTypes.DEPLOY_BOOTSTRAP_JOB)
        .withOwnerReferences(
            new OwnerReferenceBuilder()
                .withApiVersion(NODE.getApiVersion())
                .withKind(NODE.getKind())
                .withName(NODE.getMetadata().getName())
                .withUid(NODE.getMetadata().getUid())
                .withController(true)
                .build())
        .endMetadata()
        .withNewStatus()
        .addNewCondition()
        .withType("Complete")
        .withStatus("True")
        .endCondition()
        .endStatus()
        .build();
  }
}
