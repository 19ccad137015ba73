package io.sei.operator.node;

import static io.sei.operator.api.v1alpha1.NodeConditionType.DATA_VOLUME_RESIZED;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.Storage;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.TestStorageClass;
import org.junit.jupiter.api.Test;

/** The volume of a running node grows where it can, and is left alone where it cannot. */
class VolumeGrowthTest extends IdentityTestCase {

  private static final String CLAIM = "data-" + NODE;

  @Test
  void claimGrowsWhileTheNodeRunsAndNeverShrinks() {
    try (var storageClass = new TestStorageClass(client, namespace, true)) {
      create(sized(storageClass.name(), "10Gi"));
      awaitUpToDate(A);
      String pod = podUid();

      resize("20Gi");
      awaitResized(ConditionStatus.TRUE, NodeReason.RESIZED, "claim data-node has 20Gi");
      assertSize("20Gi");

      resize("5Gi");
      awaitResized(ConditionStatus.FALSE, NodeReason.CANNOT_SHRINK, "less than the 20Gi of claim");
      assertSize("20Gi");
      assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE);
      assertNeverRestarted(pod);
    }
  }

  @Test
  void classThatCannotGrowIsNamedOnceAndStopsNothing() {
    try (var storageClass = new TestStorageClass(client, namespace, false)) {
      create(sized(storageClass.name(), "10Gi"));
      awaitUpToDate(A);
      String pod = podUid();
      int patches = patchesOfClaim();

      resize("20Gi");
      awaitResized(
          ConditionStatus.FALSE,
          NodeReason.RESIZE_REFUSED,
          "spec.dataVolume.storage.resources.requests.storage",
          "claim data-node stays at 10Gi instead of 20Gi",
          "StorageClass " + storageClass.name());
      assertThat(node().getStatus().reason()).isEqualTo(NodeReason.RESIZE_REFUSED.toString());
      awaitAnotherLook();

      assertThat(patchesOfClaim()).as("asked once").isEqualTo(patches + 1);
      assertSize("10Gi");
      assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
      assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
      assertThat(events("DataVolumeResizeRefused")).hasSize(1);

      storageClass.allowExpansion();
      resize("30Gi");
      awaitResized(ConditionStatus.TRUE, NodeReason.RESIZED, "claim data-node has 30Gi");
      assertNeverRestarted(pod);
    }
  }

  private void resize(String size) {
    patch(
        "{'spec':{'dataVolume':{'storage':{'resources':{'requests':{'storage':'%s'}}}}}}"
            .formatted(size));
  }

  private void awaitResized(ConditionStatus status, NodeReason reason, String... words) {
    eventually(
        () -> {
          assertCondition(DATA_VOLUME_RESIZED, status, reason);
          assertThat(condition(DATA_VOLUME_RESIZED).message()).contains(words);
        });
  }

  private void assertSize(String size) {
    PersistentVolumeClaim claim = read(PersistentVolumeClaim.class, CLAIM);
    assertThat(claim.getSpec().getResources().getRequests())
        .containsEntry("storage", new Quantity(size));
    assertThat(claim.getStatus().getCapacity()).containsEntry("storage", new Quantity(size));
  }

  private int patchesOfClaim() {
    return operator.requests().matching(VolumeGrowthTest::isPatchOfClaim).size();
  }

  private static boolean isPatchOfClaim(Request request) {
    return request.method().equals("PATCH")
        && request.path().endsWith("/persistentvolumeclaims/" + CLAIM);
  }

  private static SeiNodeSpec sized(String storageClass, String size) {
    var requests = new Storage.Requests(new Quantity(size));
    return spec(A)
        .withDataVolume(
            new DataVolume(
                null,
                null,
                new Storage(storageClass, new Storage.Resources(requests)),
                null,
                null));
  }
}
