package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotBuilder;
import java.time.Instant;

/**
 * VolumeSnapshots as the operator and the snapshot controller leave them.
 *
 * @param namespace where they are
 */
public record TestSnapshots(KubernetesClient client, String namespace) {

  /** One of a node's volume that has yet to be taken. */
  public static VolumeSnapshotBuilder of(String name, String chain, String image) {
    return new VolumeSnapshotBuilder()
        .withNewMetadata()
        .withName(name)
        .addToLabels("sei.io/chain", chain)
        .addToLabels("sei.io/height", "1200")
        .addToAnnotations("sei.io/image", image)
        .endMetadata()
        .withNewSpec()
        .withNewSource()
        .withPersistentVolumeClaimName("data-source")
        .endSource()
        .endSpec();
  }

  /** Returns a snapshot that is taken and ready. */
  public static VolumeSnapshotBuilder ready(VolumeSnapshotBuilder snapshot, Instant takenAt) {
    return snapshot
        .withNewStatus()
        .withReadyToUse(true)
        .withCreationTime(takenAt.toString())
        .withRestoreSize(new Quantity("20Gi"))
        .endStatus();
  }

  /** Creates it with its status. */
  public VolumeSnapshot create(VolumeSnapshotBuilder snapshot) {
    VolumeSnapshot wanted = snapshot.editMetadata().withNamespace(namespace).endMetadata().build();
    VolumeSnapshot created = client.resource(wanted).create();
    if (wanted.getStatus() == null) {
      return created;
    }
    created.setStatus(wanted.getStatus());
    return client.resource(created).updateStatus();
  }
}
