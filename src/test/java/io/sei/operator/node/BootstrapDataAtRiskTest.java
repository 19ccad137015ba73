package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.node.feature.TaskTypes;
import org.junit.jupiter.api.Test;

/** The claim goes while a bootstrap Job has the volume: the Job's pod keeps the data then. */
class BootstrapDataAtRiskTest extends BootstrapTestCase {

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
