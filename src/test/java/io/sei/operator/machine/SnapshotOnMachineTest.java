package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Manifests;
import io.sei.operator.testkit.machine.SnapshotStorage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Snapshots of volumes that a real driver makes, and nodes of them. */
@Execution(ExecutionMode.CONCURRENT)
class SnapshotOnMachineTest extends MachineTestCase {

  private static final String FLEET = "fleet";
  private static final String SOURCE = FLEET + "-1-0";
  private static final String IMAGE = Chain.V1_DIALS.image();

  private static final String VOLUME =
      """
      dataVolume:
        storage: {storageClassName: %s}
      """
          .formatted(SnapshotStorage.CLASS);

  private static final String RESTORED =
      VOLUME
          + """
            from: {volumeSnapshot: {selector: {matchLabels: {sei.io/nodedeployment: %s}}, maxAge: 1h}}
          """
              .formatted(FLEET);

  private static final String KNOWN_BY_ITS_HANDLE =
      """
      apiVersion: snapshot.storage.k8s.io/v1
      kind: VolumeSnapshotContent
      metadata: {name: %1$s-back}
      spec:
        driver: csi.test.sei.io
        deletionPolicy: Retain
        source: {snapshotHandle: %2$s}
        volumeSnapshotRef: {namespace: %1$s, name: back}
      ---
      apiVersion: snapshot.storage.k8s.io/v1
      kind: VolumeSnapshot
      metadata:
        name: back
        labels: {sei.io/chain: atlantic-2}
        annotations: {sei.io/image: %3$s}
      spec: {source: {volumeSnapshotContentName: %1$s-back}}
      """;

  /** Alone, and with a key of its own, the new node makes no block: its height is the copy's. */
  @Test
  void newNodeGoesOnFromTheHeightOfAFleetsSnapshotWithItsOwnNodeId() {
    createFleet();
    int before = awaitHeight(SOURCE, 2);
    takeSnapshots(FLEET, SnapshotStorage.CLASS);
    String snapshot = awaitSnapshot(FLEET);
    String height = snapshot(snapshot, "metadata.labels.sei\\.io/height");
    awaitFleet();
    assertThat(pod(SOURCE, "metadata.creationTimestamp"))
        .as("it was stopped while the snapshot was taken")
        .isGreaterThanOrEqualTo(snapshot(snapshot, "status.creationTime"));

    apply(Manifests.node(NODE, IMAGE) + RESTORED.indent(2));

    awaitReady();
    assertThat(status("status.restoredFrom.volumeSnapshot")).isEqualTo(snapshot);
    awaitHeight(POD, before);
    assertThat(height).as("the data has reached it at least").matches("[1-9][0-9]*");
    assertThat(heightNow(POD)).isGreaterThanOrEqualTo(Integer.parseInt(height));
    assertThat(rpc(POD, "block?height=1")).isEqualTo(rpc(SOURCE, "block?height=1"));
    assertThat(nodeId(POD)).isNotEqualTo(nodeId(SOURCE));
    follow(POD, SOURCE);
    assertThat(restarts()).isZero();
  }

  @Test
  @Tag("long")
  void errorOfTheDriverThatGoesAwayIsWaitedFor() {
    createFleet();
    int before = awaitHeight(SOURCE, 2);
    String snapshotClass = namespace + "-class";
    apply(SnapshotStorage.snapshotClass(snapshotClass, "fault: full"));

    takeSnapshots(FLEET, snapshotClass);

    String healthy = "status.conditions[?(@.type=='SnapshotsHealthy')].";
    eventually(
        () -> {
          assertThat(fleet(healthy + "reason")).isEqualTo("SnapshotInProgress");
          assertThat(fleet(healthy + "message"))
              .contains("so far: ", "no room for another snapshot");
        });
    String stoppedFor = fleet("status.snapshots.active.snapshot");
    apply(SnapshotStorage.snapshotClass(snapshotClass, ""));
    assertThat(awaitSnapshot(FLEET)).isEqualTo(stoppedFor);
    assertThat(fleet("status.snapshots.failures")).isEmpty();
    awaitFleet();
    awaitHeight(SOURCE, before + 1);
  }

  /**
   * Follows docs/snapshots.md for a copy in the storage of a cloud: nothing else is left of the
   * snapshot.
   */
  @Test
  @Tag("long")
  void snapshotThatIsKnownByItsHandleAloneComesBack() {
    createFleet();
    int before = awaitHeight(SOURCE, 2);
    String kept = namespace + "-kept";
    apply(SnapshotStorage.snapshotClass(kept, "").replace("Delete", "Retain"));
    takeSnapshots(FLEET, kept);
    String snapshot = awaitSnapshot(FLEET);
    String content = snapshot(snapshot, "status.boundVolumeSnapshotContentName");
    String handle =
        kubectl("get", "volumesnapshotcontent", content, "-o", "jsonpath={.status.snapshotHandle}");
    kubectl("delete", "volumesnapshot", snapshot, "--timeout=1m");
    kubectl("delete", "volumesnapshotcontent", content, "--timeout=1m");
    awaitFleet();

    apply(KNOWN_BY_ITS_HANDLE.formatted(namespace, handle, IMAGE));
    apply(
        Manifests.node(NODE, IMAGE)
            + (VOLUME + "  from: {volumeSnapshot: {name: back}}\n").indent(2));

    awaitReady();
    assertThat(status("status.restoredFrom.volumeSnapshot")).isEqualTo("back");
    awaitHeight(POD, before);
    assertThat(rpc(POD, "block?height=1")).isEqualTo(rpc(SOURCE, "block?height=1"));
    kubectl("delete", "volumesnapshotcontent", namespace + "-back", "--wait=false");
  }

  private void createFleet() {
    machine.startSnapshotStorage();
    apply(Manifests.fleet(FLEET, IMAGE) + VOLUME.indent(6));
    awaitFleet();
  }

  private void awaitFleet() {
    eventually(() -> assertThat(fleet("status.readyReplicas")).isEqualTo("2"));
  }

  private String fleet(String field) {
    return field("seinodedeployments", FLEET, field);
  }

  private String snapshot(String name, String field) {
    return field("volumesnapshots", name, field);
  }

  private String pod(String name, String field) {
    return field("pods", name, field);
  }
}
