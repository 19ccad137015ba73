package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.TaskIds;
import io.sei.operator.testkit.PodFault;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that replays with an image of its own before it starts. */
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

  @Tag("long")
  @Test
  void jobThatCompletedHasEndedEvenIfItsPodIsGone() {
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
    assertThat(jobPodUids()).hasSize(1);
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
}
