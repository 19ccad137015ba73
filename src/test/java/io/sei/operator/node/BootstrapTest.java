package io.sei.operator.node;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.TaskIds;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.Denials;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.samples.End;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A node that replays with an image of its own before it starts: its Job, its failures, and data at
 * risk meanwhile.
 */
class BootstrapTest extends BootstrapTestCase {

  private static final String APPLY =
      "config-apply {'mode':'full','incremental':false,'targetVersion':0,"
          + "'overrides':{'logging.level':'info','network.p2p.persistent_peers':'86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1,e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@i:1'}}";

  @Test
  void jobAndThenTheNodeGetTheirTasksOnceInOrderAcrossRestarts() {
    holdReplay();
    sidecarFaults().hold(SidecarTaskTypes.SNAPSHOT_RESTORE);
    create(bootstrapping(""));
    eventually(() -> assertThat(executions(SidecarTaskTypes.SNAPSHOT_RESTORE)).isEqualTo(1));
    TaskPlan plan = plan();

    operator.restart();
    sidecarFaults().release(SidecarTaskTypes.SNAPSHOT_RESTORE);
    awaitReplay();
    operator.restart();
    kubelet.clearImage(BOOT);

    awaitUpToDate(A);
    assertThat(plan.tasks().stream().map(PlannedTask::type))
        .containsExactly(
            "ensure-data-pvc",
            "apply-rbac-proxy-config",
            "apply-service",
            "deploy-bootstrap-job",
            "configure-genesis",
            "snapshot-restore",
            "config-apply",
            "configure-state-sync",
            "config-validate",
            "mark-ready",
            "await-bootstrap-complete",
            "teardown-bootstrap",
            "apply-statefulset",
            "apply-service",
            "replace-pod",
            "observe-image",
            "configure-genesis",
            "config-apply",
            "config-validate",
            "mark-ready");
    assertThat(submitted())
        .isEqualTo(
            Stream.of(
                    "configure-genesis",
                    "snapshot-restore {'targetHeight':1000}",
                    APPLY,
                    "configure-state-sync {'useLocalSnapshot':true,"
                        + "'rpcServers':['h:26657','i:26657']}",
                    "config-validate",
                    "mark-ready",
                    "configure-genesis",
                    APPLY,
                    "config-validate",
                    "mark-ready")
                .map(ConfigTestCase::task)
                .toList());
    assertThat(submittedIds()).isEqualTo(idsOf(plan));
    assertThat(jobPodUids()).hasSize(1);
    assertThat(ownPods.all()).hasSize(1);
    assertThat(job()).isNull();
    assertThat(node().getStatus().planHistory()).hasSize(1);
  }

  @Test
  void endIsRecordedBeforeTheJobGoesAndNotRepeatedAfterACrash() {
    kubelet.injectForImage(BOOT, PodFault.HANGING_TERMINATION);
    create(bootstrapping(""));
    eventually(() -> assertThat(jobPods.all()).hasSize(1));
    eventually(() -> assertThat(job()).isNull());

    assertThat(plan().tasks())
        .filteredOn(task -> task.type().equals(TaskTypes.AWAIT_BOOTSTRAP))
        .extracting(task -> task.params().path("completed").asBoolean())
        .containsExactly(true);
    operator.restart();
    kubelet.clearImage(BOOT);

    awaitUpToDate(A);
    assertThat(jobPodUids()).hasSize(1);
  }

  /** A drained pod may have left it so. */
  @Tag("long")
  @Test
  void jobThatCompletedRunsAgainIfItsPodIsGone() {
    holdReplay();
    create(bootstrapping(""));
    awaitReplay();
    operator.stop();
    kubelet.clearImage(BOOT);
    eventually(() -> assertThat(job().getStatus().getSucceeded()).isEqualTo(1));
    client.pods().inNamespace(namespace).delete();
    eventually(() -> assertThat(readAll(Pod.class)).isEmpty());

    operator.start();

    awaitUpToDate(A);
    assertThat(jobPodUids()).hasSize(2);
  }

  @Test
  void pauseStopsTheRunAndResumingBeginsItAnew() {
    holdReplay();
    create(bootstrapping(""));
    awaitReplay();

    patch("{'spec':{'paused':true}}");

    eventually(() -> assertThat(readAll(Pod.class)).isEmpty());
    assertThat(job()).isNull();
    assertThat(statefulSets.all()).isEmpty();

    kubelet.clearImage(BOOT);
    patch("{'spec':{'paused':false}}");

    awaitUpToDate(A);
    assertThat(jobPodUids()).hasSize(2);
    // The volume knows what was done to it: only the release, which is not on it, is given again.
    assertThat(executions(SidecarTaskTypes.SNAPSHOT_RESTORE)).isEqualTo(1);
    assertThat(submitted().stream().filter(MARK_READY::equals)).hasSize(3);
  }

  private static List<String> idsOf(TaskPlan plan) {
    List<PlannedTask> tasks = plan.tasks();
    return tasks.stream()
        .filter(task -> TaskTypes.isOfSidecar(task.type()))
        .map(task -> TaskIds.of(plan.id(), task.type(), tasks.indexOf(task)))
        .toList();
  }

  @Test
  void failureIsToldInThePodsWordsAndTriedAgainOnRequest() {
    holdReplay();
    create(bootstrapping(""));
    awaitReplay();

    kubelet.injectForImage(BOOT, new PodFault.HaltedAtUpgrade("v6", 900));

    eventually(() -> assertThat(node().getStatus().phase()).isEqualTo(NodePhase.FAILED));
    assertThat(plan().failedTaskDetail().type()).isEqualTo(TaskTypes.AWAIT_BOOTSTRAP);
    assertThat(plan().failedTaskDetail().error())
        .contains("bootstrap pod " + JOB)
        .contains("seid exited with code 2")
        .contains("UPGRADE \"v6\" NEEDED at height: 900");
    assertThat(job()).as("left to be looked at").isNotNull();
    assertThat(statefulSets.all()).isEmpty();

    kubelet.clearImage(BOOT);
    annotate(Annotations.RETRY, "1");

    awaitUpToDate(A);
    assertThat(jobPodUids()).hasSize(2);
    assertThat(executions(SidecarTaskTypes.SNAPSHOT_RESTORE)).isEqualTo(2);
  }

  /** Its machine gives the pod up; that of the next one is drained, so that the Job succeeds. */
  @Test
  void podThatIsEvictedIsMadeAgain() {
    holdReplay();
    create(bootstrapping(""));
    awaitReplay();

    client
        .resource(jobPods.all().getFirst().last())
        .editStatus(
            pod ->
                aPod(pod)
                    .phase("Failed")
                    .condition("DisruptionTarget", "True")
                    .status("seid", seid -> seid.ended(End.exit(0, null)))
                    .build());
    eventually(() -> assertThat(jobPodUids()).hasSize(2));
    awaitReplay();
    assertThat(client.pods().resource(jobPods.all().getLast().last()).evict()).isTrue();
    eventually(() -> assertThat(jobPodUids()).hasSize(3));
    kubelet.clearImage(BOOT);

    awaitUpToDate(A);
    assertThat(node().getStatus().planHistory()).hasSize(1);
    assertThat(executions(SidecarTaskTypes.SNAPSHOT_RESTORE)).isEqualTo(1);
  }

  /** Bootstraps that do not get to their end. */
  @Tag("long")
  @Test
  void haltThatEndsSeidByItsOwnSignalIsTheEndOfTheRun() {
    holdReplay();
    create(bootstrapping(""));
    awaitReplay();

    kubelet.injectForImage(BOOT, new PodFault.HaltedByConfiguration(1000));

    awaitUpToDate(A);
    assertThat(jobPodUids()).hasSize(1);
  }

  @Test
  @Tag("long")
  void bootstrapAskedForTooLateTakesTheVolumeFromTheNodesPod() {
    sidecarFaults().hold(SidecarTaskTypes.CONFIG_APPLY);
    create(specOf("'fullNode':{'snapshot':{'s3':{'targetHeight':1000}}}," + PEERS));
    eventually(() -> assertThat(executions(SidecarTaskTypes.CONFIG_APPLY)).isEqualTo(1));
    String first = plan().id();

    setBootstrapImage(BOOT);
    // Let go before that is seen, the first plan would complete, and the node would have run.
    eventually(() -> assertThat(plan().id()).isNotEqualTo(first));
    sidecarFaults().clear();

    awaitUpToDate(A);
    assertThat(jobPodUids()).hasSize(1);
    assertThat(statefulSets.all()).hasSize(2);
    assertThat(ownPods.all()).hasSize(2);
    assertThat(node().getStatus().replacing()).isNull();
  }

  @Tag("long")
  @Test
  void stallNamesWhatKeepsTheJobsPodFromStarting() {
    kubelet.injectForImage(BOOT, PodFault.IMAGE_PULL);
    create(bootstrapping(",'progressDeadlineSeconds':1"));

    awaitStalled(StallReason.IMAGE_PULL);
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains(BOOT)
        .contains("then change spec.fullNode.snapshot.bootstrapImage");

    setBootstrapImage("sei:boot2");

    awaitUpToDate(A);
  }

  @Test
  void quotaThatRefusesTheJobsPodIsNamed() {
    var denials = new Denials(client, namespace);
    denials.forbidAny("pods");
    create(bootstrapping(",'progressDeadlineSeconds':1"));

    awaitStalled(StallReason.QUOTA_EXCEEDED);
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("exceeded quota", "lower spec.resources");

    denials.removeQuota();

    awaitUpToDate(A);
  }

  @Tag("long")
  @Test
  void jobThatTheGoOperatorLeftIsReplaced() {
    HasMetadata left =
        client
            .resource(
                new JobBuilder(foreignJob())
                    .editMetadata()
                    .addToLabels(Labels.ofBootstrap(NODE))
                    .endMetadata()
                    .build())
            .create();
    holdReplay();
    create(bootstrapping(""));
    awaitReplay();

    assertThat(job().getMetadata().getUid()).isNotEqualTo(left.getMetadata().getUid());
    kubelet.clearImage(BOOT);
    awaitUpToDate(A);
  }

  @Tag("long")
  @Test
  void jobOfAnotherIsNamedAndNotSeized() {
    HasMetadata foreign = client.resource(foreignJob()).create();
    create(bootstrapping(""));

    eventually(
        () -> {
          assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, NodeReason.CONFLICT);
          assertThat(condition(NodeConditionType.READY).message())
              .contains("Job " + JOB + " belongs to no owner");
        });
    assertThat(job().getMetadata().getUid()).isEqualTo(foreign.getMetadata().getUid());
    // Not told by the resourceVersion: the Job controller may write a status.
    assertThat(operator.requests().matching(Request::isWrite))
        .noneMatch(request -> request.path().contains("/jobs"));

    client.resource(foreign).delete();
    lookNow();

    awaitUpToDate(A);
  }

  /** Suspended by having nothing to do: its pods would be in the way of the record. */
  private Job foreignJob() {
    return new JobBuilder()
        .withNewMetadata()
        .withName(JOB)
        .withNamespace(namespace)
        .endMetadata()
        .withNewSpec()
        .withParallelism(0)
        .withNewTemplate()
        .withNewSpec()
        .addNewContainer()
        .withName("other")
        .withImage("other")
        .endContainer()
        .withRestartPolicy("Never")
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  @Test
  void jobIsLeftWhateverIsAskedFor() {
    holdReplay();
    create(bootstrapping(""));
    awaitReplay();
    String pod = jobPodUids().get(0);
    client.resource(read(PersistentVolumeClaim.class, "data-node")).delete();
    awaitCondition(NodeConditionType.DATA_VOLUME_AT_RISK, ConditionStatus.TRUE, "ClaimTerminating");

    patch("{'spec':{'paused':true}}");
    awaitAnotherLook();
    patch("{'spec':{'paused':false}}");
    setBootstrapImage(null);
    awaitAnotherLook();
    setBootstrapImage("sei:other");
    awaitAnotherLook();

    stays(() -> assertThat(jobPodUids()).containsExactly(pod));
    assertThat(job().isMarkedForDeletion()).isFalse();
  }

  /** The claim goes while a bootstrap Job has the volume: the Job's pod keeps the data then. */
  @Test
  void jobThatIsThroughKeepsItsPod() {
    holdReplay();
    create(bootstrapping(""));
    awaitReplay();
    client.resource(read(PersistentVolumeClaim.class, "data-node")).delete();
    awaitCondition(NodeConditionType.DATA_VOLUME_AT_RISK, ConditionStatus.TRUE, "ClaimTerminating");

    kubelet.clearImage(BOOT);

    awaitStep(TaskTypes.TEARDOWN_BOOTSTRAP);
    stays(() -> assertThat(job().isMarkedForDeletion()).isFalse());
    assertThat(plan().currentTask().orElseThrow().reason()).isEqualTo("DataVolumeAtRisk");
  }
}
