package io.sei.operator.node;

import static io.sei.operator.api.v1alpha1.NodeConditionType.DATA_VOLUME_PINNED;
import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.testkit.RequestLog.Request;
import org.junit.jupiter.api.Test;

/** A node whose volume is on a disk of one machine. */
class LocalDiskTest extends NodeTestCase {

  @Test
  void whatADrainMeansIsSaidAsSoonAsTheNodeRunsAndARolloutReadsNoVolume() {
    String name = namespace + "-local";
    client.resource(localDisk(name, "m1")).create();
    try {
      kubelet.holdVolumeBinding(true);
      create(spec(A));
      eventually(
          () ->
              client
                  .resource(read(PersistentVolumeClaim.class, "data-" + NODE))
                  .edit(
                      claim -> {
                        claim.getSpec().setVolumeName(name);
                        return claim;
                      }));
      kubelet.holdVolumeBinding(false);

      eventually(
          () -> {
            assertCondition(DATA_VOLUME_PINNED, ConditionStatus.TRUE, NodeReason.LOCAL_DISK);
            assertThat(events("DataVolumePinned")).hasSize(1);
          });
      awaitUpToDate(A);
      assertThat(condition(DATA_VOLUME_PINNED).message())
          .startsWith(
              "only Kubernetes node m1 can use the volume of claim data-node: a drain stops");
      int reads = operator.requests().matching(LocalDiskTest::isReadOfVolume).size();
      setImage(B);
      awaitUpToDate(B);
      assertThat(operator.requests().matching(LocalDiskTest::isReadOfVolume))
          .as("the volume is read when its claim changes")
          .hasSize(reads);
    } finally {
      client.persistentVolumes().withName(name).delete();
    }
  }

  private static boolean isReadOfVolume(Request request) {
    return request.method().equals("GET") && request.path().contains("/persistentvolumes/");
  }

  private static PersistentVolume localDisk(String name, String kubernetesNode) {
    return yaml(
        PersistentVolume.class,
        """
        metadata: {name: %s}
        spec:
          capacity: {storage: 10Ti}
          accessModes: [ReadWriteOnce]
          local: {path: /disks/1}
          nodeAffinity:
            required:
              nodeSelectorTerms:
              - matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [%s]}]
        """,
        name,
        kubernetesNode);
  }
}
