package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.Denials;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.RequestLog.Request;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Bootstraps that do not get to their end. */
class BootstrapFailureTest extends BootstrapTestCase {

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
}
