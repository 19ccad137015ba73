package io.sei.operator.node;

import static io.sei.operator.api.v1alpha1.NodeConditionType.DATA_VOLUME_RESIZED;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.Storage;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.ClaimStatuses;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.TestStorageClass;
import io.sei.operator.testkit.samples.SeidDeaths;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
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

  @Tag("long")
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

  @Test
  void fullVolumeGrowsByItselfOnceInSixHoursUpToItsMaximum() {
    try (var storageClass = new TestStorageClass(client, namespace, true)) {
      create(
          sized(
              storageClass.name(),
              "10Gi",
              new Storage.AutoGrow(null, "2Gi", new Quantity("13Gi"))));
      awaitUpToDate(A);
      String pod = podUid();
      int patches = patchesOfClaim();

      try (var statuses = new ClaimStatuses(client, namespace)) {
        kubelet.inject(namespace, POD, SeidDeaths.fullDisk().fault());
        awaitResized(ConditionStatus.TRUE, NodeReason.RESIZED, "claim data-node has 12Gi");
        eventually(
            () -> assertThat(statuses.said()).isEqualTo(ClaimStatuses.growth("10Gi", "12Gi")));
      }
      assertThat(events("DataVolumeResizing"))
          .singleElement()
          .asString()
          .contains("claim data-node grows from 10Gi to 12Gi, by spec.dataVolume.storage.autoGrow");
      awaitQuiet();
      assertThat(patchesOfClaim()).as("no more for six hours").isEqualTo(patches + 1);

      resizedSixHoursAgo();
      awaitResized(
          ConditionStatus.FALSE, NodeReason.MAXIMUM_REACHED, "claim data-node has 13Gi, the most");
      assertSize("13Gi");
      kubelet.clear(namespace, POD);

      awaitResized(ConditionStatus.TRUE, NodeReason.RESIZED, "claim data-node has 13Gi");
      awaitUpToDate(A);
      assertNeverRestarted(pod);
    }
  }

  @Tag("long")
  @Test
  void podWithoutSeidIsReplacedOnceIfItsFileSystemDoesNotGrow() {
    try (var storageClass = new TestStorageClass(client, namespace, true)) {
      create(sized(storageClass.name(), "10Gi"));
      awaitUpToDate(A);
      kubelet.inject(namespace, POD, SeidDeaths.fullDisk().fault());
      awaitFull();
      String pod = podUid();

      kubelet.holdVolumeBinding(true);
      resize("20Gi");
      awaitResized(ConditionStatus.FALSE, NodeReason.RESIZING, "from 10Gi to 20Gi");
      waitForTheFileSystem();

      eventually(() -> assertThat(podUid()).isNotEqualTo(pod));
      awaitFull();
      assertNeverRestartedAgain();
      kubelet.clear(namespace, POD);
      kubelet.holdVolumeBinding(false);

      awaitResized(ConditionStatus.TRUE, NodeReason.RESIZED, "claim data-node has 20Gi");
      awaitUpToDate(A);
    }
  }

  private void resizedSixHoursAgo() {
    String then = Instant.now().minus(Duration.ofHours(6)).toString();
    eventually(
        () ->
            client
                .persistentVolumeClaims()
                .inNamespace(namespace)
                .withName(CLAIM)
                .edit(
                    claim ->
                        new PersistentVolumeClaimBuilder(claim)
                            .editMetadata()
                            .addToAnnotations(Annotations.RESIZED_AT, then)
                            .endMetadata()
                            .build()));
  }

  private void awaitFull() {
    eventually(
        () ->
            assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, StallReason.DISK_FULL));
  }

  private void assertNeverRestartedAgain() {
    stays(() -> assertThat(kubelet.history(namespace, POD)).hasSize(2));
  }

  /**
   * Waits like a driver that can grow the file system only when it is mounted; since the pod was
   * created, and another one is created later.
   */
  private void waitForTheFileSystem() {
    Instant since = Instant.parse(pod().getMetadata().getCreationTimestamp());
    eventually(() -> assertThat(Instant.now()).isAfter(since.plusSeconds(1)));
    operator.clock().jumpTo(Duration.ofMinutes(3));
    client
        .persistentVolumeClaims()
        .inNamespace(namespace)
        .withName(CLAIM)
        .editStatus(
            claim ->
                new PersistentVolumeClaimBuilder(claim)
                    .editStatus()
                    .addNewCondition()
                    .withType("FileSystemResizePending")
                    .withStatus("True")
                    .withLastTransitionTime(since.toString())
                    .endCondition()
                    .endStatus()
                    .build());
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
    return sized(storageClass, size, null);
  }

  private static SeiNodeSpec sized(String storageClass, String size, Storage.AutoGrow rule) {
    var requests = new Storage.Requests(new Quantity(size));
    return spec(A)
        .withDataVolume(
            new DataVolume(
                null,
                null,
                new Storage(storageClass, null, new Storage.Resources(requests), rule),
                null,
                null));
  }
}
