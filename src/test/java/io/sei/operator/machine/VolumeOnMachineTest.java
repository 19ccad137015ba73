package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.ClaimStatuses;
import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Manifests;
import io.sei.operator.testkit.machine.SnapshotStorage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Changes a claim under a real external-resizer and kubelet. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("long")
class VolumeOnMachineTest extends MachineTestCase {

  private static final String CLAIM = "data-" + NODE;
  private static final String IMAGE = Chain.V1.image();
  private static final String FILL =
      "while printf %04096d 0; do :; done >\"$HOME/filler\" 2>/dev/null; true";

  private static final String VOLUME =
      """
        dataVolume:
          storage:
            storageClassName: %s
            resources: {requests: {storage: 64Mi}}
            %s
      """;

  @BeforeEach
  void startStorage() {
    machine.startSnapshotStorage();
  }

  @Test
  void fullVolumeGrowsAndBlocksGoOnWithNobodysHand() {
    create(SnapshotStorage.LIMITED, "autoGrow: {maxSize: 128Mi}");
    String pod = podUid();

    try (var statuses = new ClaimStatuses(machine.client(), namespace)) {
      fill();
      awaitGrown();
      eventually(
          () -> assertThat(statuses.said()).isEqualTo(ClaimStatuses.growth("64Mi", "128Mi")));
    }

    awaitBlocks(IMAGE);
    awaitReady();
    assertThat(podUid()).as("a kubelet grows what is mounted").isEqualTo(pod);
    assertThat(events("PersistentVolumeClaim"))
        .contains("Resizing", "FileSystemResizeRequired", "FileSystemResizeSuccessful");
  }

  @Test
  void podIsReplacedWhereAFullFileSystemGrowsOnlyWhenMountedAgain() {
    create(SnapshotStorage.GROWS_AT_MOUNT, "autoGrow: {maxSize: 128Mi}");
    String pod = podUid();

    try (var statuses = new ClaimStatuses(machine.client(), namespace)) {
      fill();
      awaitGrown();
      assertThat(statuses.said()).isEqualTo(ClaimStatuses.growthAtMount("64Mi", "128Mi"));
    }

    awaitBlocks(IMAGE);
    awaitReady();
    assertThat(podUid()).isNotEqualTo(pod);
    assertThat(podsEverCreated()).isEqualTo(2);
  }

  @Test
  void driverThatGrowsOnlyWhatNoPodHasIsReportedAndPausingHelps() {
    create(SnapshotStorage.GROWS_DETACHED, "");
    String pod = podUid();

    try (var statuses = new ClaimStatuses(machine.client(), namespace)) {
      patch(
          "{\"spec\":{\"dataVolume\":{\"storage\":{\"resources\":{\"requests\":{\"storage\":\"128Mi\"}}}}}}");
      eventually(
          () -> {
            assertThat(condition("DataVolumeResized")).isEqualTo("False/ResizeFailed");
            assertThat(message("DataVolumeResized")).contains("is in use", "spec.paused");
          });
      assertThat(podUid()).isEqualTo(pod);

      patch("{\"spec\":{\"paused\":true}}");
      eventually(
          () -> {
            assertThat(condition("DataVolumeResized")).isEqualTo("False/FileSystemResizePending");
            assertThat(message("DataVolumeResized")).endsWith("; set spec.paused to false");
          });
      patch("{\"spec\":{\"paused\":false}}");
      awaitGrown();
      assertThat(statuses.said())
          .as("what was wrong stays there until all is done")
          .contains("Resizing ControllerResizeError FileSystemResizePending 64Mi");
    }
    awaitBlocks(IMAGE);
  }

  @Test
  void attributesFollowTheClassAndAreRefusedInTheDriversWords() {
    String fast = namespace + "-fast";
    apply(SnapshotStorage.attributesClass(fast, "iops: \"8000\""));
    create(SnapshotStorage.LIMITED, "volumeAttributesClassName: " + fast);
    awaitModified("True/Modified", fast);

    String faster = namespace + "-faster";
    name(faster);
    awaitModified("False/ModifyPending", "changes from " + fast, "create it");
    apply(SnapshotStorage.attributesClass(faster, "iops: \"12000\""));
    // It was looked for once.
    name(fast);
    awaitModified("True/Modified", fast);
    name(faster);
    awaitModified("True/Modified", faster);

    String fastest = namespace + "-fastest";
    apply(SnapshotStorage.attributesClass(fastest, "iops: \"20000\""));
    name(fastest);
    awaitModified("False/ModifyFailed", "iops 20000 is not possible", "name a class");
    name(faster);
    awaitModified("True/Modified", faster);
    assertThat(restarts()).isZero();
    kubectl("delete", "volumeattributesclass", fast, faster, fastest, "--wait=false");
  }

  private void create(String storageClass, String more) {
    apply(Manifests.node(NODE, IMAGE) + VOLUME.formatted(storageClass, more));
    awaitBlocks(IMAGE);
  }

  private void fill() {
    kubectl("exec", POD, "-c", "seid", "--", "/bin/bash", "-c", FILL);
    // A chain of one may live on without blocks; none starts without space.
    signal("KILL", "seid");
  }

  private void awaitGrown() {
    eventually(
        () ->
            assertThat(message("DataVolumeResized"))
                .isEqualTo("claim %s has 128Mi".formatted(CLAIM)));
  }

  private void name(String attributesClass) {
    patch(
        "{\"spec\":{\"dataVolume\":{\"storage\":{\"volumeAttributesClassName\":\"%s\"}}}}"
            .formatted(attributesClass));
  }

  private void awaitModified(String expected, String... words) {
    eventually(
        () -> {
          assertThat(condition("DataVolumeModified")).isEqualTo(expected);
          assertThat(message("DataVolumeModified")).contains(words);
        });
  }

  private String events(String kind) {
    return kubectl("get", "events", "--field-selector=involvedObject.kind=" + kind);
  }
}
