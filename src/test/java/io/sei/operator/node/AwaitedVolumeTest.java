package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.StallReason;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Finds the obstacle to a volume in Events of the claim or of the pod. */
class AwaitedVolumeTest extends NodeTestCase {

  @Test
  void classThatDoesNotExistIsNamed() {
    kubelet.holdVolumeBinding(true);
    create(
        impatient()
            .withDataVolume(
                new DataVolume(
                    null, null, new DataVolume.Storage("gp9", null, null, null), null, null)));
    eventually(() -> assertThat(read(PersistentVolumeClaim.class, "data-node")).isNotNull());

    report(
        read(PersistentVolumeClaim.class, "data-node"),
        "ProvisioningFailed",
        "storageclass.storage.k8s.io \"gp9\" not found");

    awaitPending(
        "storageclass.storage.k8s.io \"gp9\" not found",
        "check StorageClass gp9 and the events of claim data-node");
    kubelet.holdVolumeBinding(false);
    awaitUpToDate(A);
  }

  private void awaitPending(String... words) {
    eventually(
        () -> {
          assertCondition(
              NodeConditionType.READY, ConditionStatus.FALSE, StallReason.VOLUME_PENDING);
          assertThat(condition(NodeConditionType.READY).message()).contains(words);
        });
  }

  /** Reports like a controller of Kubernetes that is no part of the tests. */
  private void report(HasMetadata about, String reason, String message) {
    client
        .resource(
            new EventBuilder()
                .withNewMetadata()
                .withGenerateName("reported-")
                .withNamespace(namespace)
                .endMetadata()
                .withNewInvolvedObject()
                .withKind(about.getKind())
                .withName(about.getMetadata().getName())
                .withNamespace(namespace)
                .withUid(about.getMetadata().getUid())
                .endInvolvedObject()
                .withType("Warning")
                .withReason(reason)
                .withMessage(message)
                .withLastTimestamp(Instant.now().toString())
                .build())
        .create();
  }

  /** Events are read after half of the deadline. */
  private static SeiNodeSpec impatient() {
    return spec(A).withProgressDeadlineSeconds(8);
  }
}
